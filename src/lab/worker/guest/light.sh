#!/bin/sh
# A light worker: its own network namespace, a real DHCP client, and the lab's program for the rest. LAB_BIN holds busybox and guest.
set -u
"$LAB_BIN/busybox" udhcpc -f -i eth0 -s "$1" -t 4 -T 1 -A 2 -O search -O staticroutes -O mtu -O ntpsrv &
exec "$LAB_BIN/guest" light --steps="$LAB_STEPS" --dir="$LAB_DIR" --user-data="$LAB_DIR/user-data"
