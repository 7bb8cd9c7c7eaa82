fun ArcToBE (a': arc') : binding'element = table'entry (binding'table, a');
fun BEsDead (some', n') =
  if n' = InitNode then not (List.exists (fn a' => mem some' (ArcToBE a')) all'arcs)
  else not (List.exists (fn m' => List.exists (fn a' => mem some' (ArcToBE a')) (OutArcs m')) (reach' ([], [n'])));
fun BEsLive some' = live'arcs (fn a' => mem some' (ArcToBE a'));
fun BEsStrictlyLive some' = List.all (fn be' => BEsLive [be']) some';
fun of'bindings some' = PredAllArcs (fn a' => mem some' (ArcToBE a'));
fun BEsFairness some' = fairness'to (of'bindings some');
fun BEsImpartial some' = impartial'to (of'bindings some');
fun BEsFair some' = fair'to (of'bindings some');
fun BEsJust some' = just'to (of'bindings some');
