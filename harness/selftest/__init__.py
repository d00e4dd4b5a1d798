"""Tries on this machine what befalls a run: services killed, full disks, odd paths, signals.

Each trial runs the harness itself as a user would, with one fault, and checks what must hold
whatever happens: it ends in time and with the right exit code, nobody is blamed who did not do it,
nothing is left running or half written, and the next run works.
"""
