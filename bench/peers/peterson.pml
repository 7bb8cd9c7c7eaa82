/* Peterson's filter lock for N processes, every step atomic: 1,119,560 states for N = 4.
 * The same model as models/peterson.dve. Translate with -o1 -o2 -o3, so that no variable is taken as dead. */
#ifndef N
#define N 4
#endif

byte pos[N];
byte step[N];

active [N] proctype P() {
  byte j, k;
q0:   j = 1;
wait: if
      :: atomic { j < N -> pos[_pid] = j; goto q2 }
      :: atomic { j == N -> goto CS }
      fi;
q2:   atomic { step[j-1] = _pid; k = 0; goto q3 }
q3:   if
      :: atomic { k < N && (k == _pid || pos[k] < j) -> k++; goto q3 }
      :: atomic { step[j-1] != _pid || k == N -> j++; goto wait }
      fi;
CS:   pos[_pid] = 0; goto q0
}
