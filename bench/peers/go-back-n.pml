/* Go-back-N with lossy first-in-first-out channels: K messages, window W, capacity C in each direction.
 * One process whose every step is atomic, so that its states are those of the guarded commands in
 * crates/sweepline-model/src/zoo/go_back_n.rs: 6,159,090 for K = 400, W = 4, C = 4. */
#ifndef K
#define K 400
#endif
#ifndef W
#define W 4
#endif
#ifndef C
#define C 4
#endif

/* The first acknowledgement is new. It is at most W above the base, as nothing else was sent. */
#define HEAD_ABOVE_B (A ? [eval(b+1)] || A ? [eval(b+2)] || A ? [eval(b+3)] || A ? [eval(b+4)])
#if W > 4
#error "HEAD_ABOVE_B is written for windows up to 4"
#endif

short b, n, r;
chan D = [C] of { short };
chan A = [C] of { short };
hidden short h;

init {
end: do  /* everything delivered is a valid end */
  :: atomic { n < b + W && n < K && nfull(D) -> D ! n; n++ }                      /* Send */
  :: atomic { n > b -> n = b }                                                      /* TimeOut */
  :: atomic { nempty(D) -> D ? h; h = 0 }                                           /* LoseData */
  :: atomic { nempty(D) && nfull(A) -> D ? h; if :: h == r -> r++ :: else fi; A ! r; h = 0 }  /* Receive */
  :: atomic { nempty(A) -> A ? h; h = 0 }                                           /* LoseAck */
  :: atomic { HEAD_ABOVE_B -> A ? b; if :: n < b -> n = b :: else fi }               /* RecvAck */
  od
}
