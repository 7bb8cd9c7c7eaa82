# One packet over a channel that may lose it twice.
# state  progress  number of propositions, propositions  then action and successor, again and again
1 0 2 !sent !acked  send 2
2 1 2 sent !acked   lose 3  receive 5
3 1 2 !sent !acked  resend 4
4 1 2 sent !acked   lose 6  receive 5
5 2 2 sent !acked   ack 7  lose 3
6 1 2 !sent !acked
7 3 2 sent acked
