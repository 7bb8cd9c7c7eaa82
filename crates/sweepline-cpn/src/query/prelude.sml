(* What the state space tool of CPN Tools knows beside markings and bindings, and the formulas of ASK-CTL. *)
fun SourceNode (a': arc') : node' = table'entry (source'table, a');
fun DestNode (a': arc') : node' = table'entry (target'table, a');
fun OutArcs (n': node') : arc' list = table'entry (out'table, n');
fun InArcs (n': node') : arc' list = table'entry (in'table, n');
fun NodeToScc (n': node') : int = table'entry (component'table, n');
fun found'by (n': node') : arc' = table'entry (found'table, n');
fun OutNodes n' = List.map DestNode (OutArcs n');
fun InNodes n' = List.map SourceNode (InArcs n');
fun Arcs (from', to') = List.filter (fn a' => DestNode a' = to') (OutArcs from');

fun NoOfNodes () = List.length all'nodes;
fun NoOfArcs () = List.length all'arcs;
fun NoOfSccs () : int = component'count;
fun SccNoOfNodes () : int = component'count;
fun nodes'in area' = if same'value (area', entire'graph) then all'nodes else area';
fun arcs'in area' = if same'value (area', entire'graph) then all'arcs else area';
fun first'of (some', limit') = if limit' < 0 orelse List.length some' <= limit' then some' else List.take (some', limit');

fun PredAllNodes p' = List.filter p' all'nodes;
fun PredNodes (area', p', limit') = first'of (List.filter p' (nodes'in area'), limit');
fun EvalAllNodes f' = List.map f' all'nodes;
fun EvalNodes (area', f') = List.map f' (nodes'in area');
fun SearchAllNodes (p', f', start', combine') = List.foldl (fn (n', done') => combine' (f' n', done')) start' (PredAllNodes p');
fun SearchNodes (area', p', limit', f', start', combine') =
  List.foldl (fn (n', done') => combine' (f' n', done')) start' (PredNodes (area', p', limit'));
fun PredAllArcs p' = List.filter p' all'arcs;
fun PredArcs (area', p', limit') = first'of (List.filter p' (arcs'in area'), limit');
fun EvalAllArcs f' = List.map f' all'arcs;
fun EvalArcs (area', f') = List.map f' (arcs'in area');
fun SearchAllArcs (p', f', start', combine') = List.foldl (fn (a', done') => combine' (f' a', done')) start' (PredAllArcs p');
fun SearchArcs (area', p', limit', f', start', combine') =
  List.foldl (fn (a', done') => combine' (f' a', done')) start' (PredArcs (area', p', limit'));

fun UpperInteger f' = List.foldl (fn (n', most') => Int.max (size (f' n'), most')) 0 all'nodes;
fun LowerInteger f' = List.foldl (fn (n', least') => Int.min (size (f' n'), least')) (size (f' InitNode)) all'nodes;
fun upper'of (a', b') = List.foldl (fn (x', most') => if cf (x', most') < cf (x', a') then (cf (x', a') - cf (x', most'))`x' ++ most' else most') b' (remdupl a');
fun lower'of (a', b') = List.foldl (fn (x', least') => Int.min (cf (x', a'), cf (x', b'))`x' ++ least') empty (remdupl a');
fun UpperMultiSet f' = List.foldl (fn (n', most') => upper'of (f' n', most')) empty all'nodes;
fun LowerMultiSet f' = List.foldl (fn (n', least') => lower'of (f' n', least')) (f' InitNode) all'nodes;

fun DeadMarking n' = List.null (OutArcs n');
fun Terminal n' = List.null (OutArcs n');
fun ListDeadMarkings () = PredAllNodes DeadMarking;
fun reach' (found', []) = found'
  | reach' (found', n' :: rest') = if mem found' n' then reach' (found', rest') else reach' (n' :: found', OutNodes n' ^^ rest');
fun Reachable (from', to') = from' = to' orelse from' = InitNode orelse mem (reach' ([], [from'])) to';
fun AllReachable () = component'count = 1;
fun ListHomeMarkings () : node' list = home'markings;
fun HomeMarking n' = mem home'markings n';
fun HomeMarkingExists () = not (List.null home'markings);
fun InitialHomeMarking () = HomeMarking InitNode;
fun MinimalHomeSpace () = List.length terminal'components;
fun HomeSpace some' =
  let val inside' = List.map NodeToScc some'
  in List.all (fn component' => mem inside' component') terminal'components end;

fun ArcsInPath (from', to') =
  let fun back' (n', done') = if n' = InitNode then done' else back' (SourceNode (found'by n'), found'by n' :: done')
  in if from' = to' then [] else if from' = InitNode then back' (to', [])
     else raise Fail "only paths from InitNode are known" end;
fun NodesInPath (from', to') = from' :: List.map DestNode (ArcsInPath (from', to'));

fun ArcToTI (a': arc') : transition'instance = table'entry (transition'table, a');
fun TIsDead (some', n') =
  if n' = InitNode then not (List.exists (fn a' => mem some' (ArcToTI a')) all'arcs)
  else not (List.exists (fn m' => List.exists (fn a' => mem some' (ArcToTI a')) (OutArcs m')) (reach' ([], [n'])));
fun ListDeadTIs () = List.filter (fn ti' => TIsDead ([ti'], InitNode)) all'transitions;
fun live'arcs p' = List.all (fn arcs' => List.exists p' arcs') terminal'arcs;
fun TIsLive some' = live'arcs (fn a' => mem some' (ArcToTI a'));
fun TIsStrictlyLive some' = List.all (fn ti' => TIsLive [ti']) some';
fun ListLiveTIs () = List.filter (fn ti' => TIsLive [ti']) all'transitions;

datatype formula' = TT | FF | NF of string * (node' -> bool) | AF of string * (arc' -> bool) | NOT of formula'
  | AND of formula' * formula' | OR of formula' * formula' | MODAL of formula' | POS of formula' | INV of formula'
  | EV of formula' | ALONG of formula' | EXIST_NEXT of formula' | FORALL_NEXT of formula'
  | EXIST_UNTIL of formula' * formula' | FORALL_UNTIL of formula' * formula';
datatype answer' = of'node of formula' * node' | of'arc of formula' * arc' | fairness'to of arc' list
  | impartial'to of arc' list | fair'to of arc' list | just'to of arc' list;
fun eval_node formula' node' = of'node (formula', node');
fun eval_arc formula' arc' = of'arc (formula', arc');
fun of'instances some' = PredAllArcs (fn a' => mem some' (ArcToTI a'));
fun TIsFairness some' = fairness'to (of'instances some');
fun TIsImpartial some' = impartial'to (of'instances some');
fun TIsFair some' = fair'to (of'instances some');
fun TIsJust some' = just'to (of'instances some');
