# shellcheck shell=sh
# Shared by the entry points that keep a daemon and follow its configuration. POSIX sh; sourced, never run.
#
# RUN is a writable directory of the container. It outlives a restart of the container but not the pod, so what is in it may be
# left over from a run that was killed. ACTIVE is where the configuration is kept that is in use; where there is a volume that outlives
# the pod as well, it is there.

# shellcheck source-path=SCRIPTDIR source=refused.sh
. "${0%/*}/refused.sh"

say() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
}

# Set by an entry point: what it does first when the end has come, with ENDED=1 if a daemon ended by itself.
finish=:
ENDED=0
CONCLUDED=0
# From the very start: to the first process of a container a signal without a handler is no signal.
trap conclude TERM INT
trap 'ENDED=1; conclude' USR1

# start NAME COMMAND...
# Runs a daemon in the background, its pid in RUN/NAME.pid. When it ends, whatever the reason, the entry point is told by SIGUSR1:
# a dead daemon must end the container, and a shell that only looks at pids would take a zombie for alive.
start() {
  if [ "$CONCLUDED" = 1 ]; then return; fi
  start_name=$1
  shift
  (
    "$@" &
    echo "$!" >"$RUN/$start_name.pid"
    code=0
    wait "$!" || code=$?
    rm -f "$RUN/$start_name.pid"
    say "$start_name ended with code $code"
    kill -USR1 "$$"
  ) &
}

# signal SIGNAL NAME
signal() {
  if [ -e "$RUN/$2.pid" ]; then kill "-$1" "$(cat "$RUN/$2.pid")"; fi
}

# adopt FILE VALIDATOR...
# Makes ACTIVE/FILE from the mounted one if the daemon's own validator (called with the file as its last argument) accepts it.
# Daemons read the active one, so a configuration that is refused changes nothing: neither now nor when the container starts again.
adopt() {
  adopt_file=$1
  shift
  mkdir -p "$ACTIVE"
  if ! "$@" "$CONFIG/$adopt_file" >"$RUN/$adopt_file.verdict" 2>&1; then
    cat "$RUN/$adopt_file.verdict" >&2
    refuse "$adopt_file" <"$RUN/$adopt_file.verdict"
    say "$adopt_file was refused, the last good one stays"
    return 1
  fi
  accept "$adopt_file"
  cp "$CONFIG/$adopt_file" "$ACTIVE/.$adopt_file"
  mv "$ACTIVE/.$adopt_file" "$ACTIVE/$adopt_file"
}

# adopt_or_last FILE VALIDATOR...: for the start, when there may be nothing to stay with.
adopt_or_last() {
  adopt "$@" || [ -e "$ACTIVE/$1" ]
}

# follow DIRECTORY FUNCTION
# Calls FUNCTION whenever kubelet has put a new version of the ConfigMap into place, which it does by swapping the link ..data.
# Looking once a second costs nothing and cannot miss one.
follow() {
  (
    seen=$(readlink "$1/..data" || true)
    while sleep 1; do
      now=$(readlink "$1/..data" || true)
      if [ "$now" != "$seen" ]; then
        seen=$now
        "$2" || true
      fi
    done
  ) &
  FOLLOWERS="${FOLLOWERS:-} $!"
}

# beside FUNCTION: runs it in the background for as long as the container runs.
beside() {
  "$1" &
  FOLLOWERS="${FOLLOWERS:-} $!"
}

# attend
# Waits until the container is told to stop or a daemon has ended, and everything is down. Returns 1 if it was the latter.
attend() {
  # Each signal interrupts one wait; with no children left wait returns at once.
  while ! wait; do :; done
  return "$ENDED"
}

conclude() {
  CONCLUDED=1
  trap '' TERM INT USR1
  "$finish"
  # shellcheck disable=SC2086 # a list of pids
  kill ${FOLLOWERS:-} 2>/dev/null || true
  for pidfile in "$RUN"/*.pid; do
    if [ -e "$pidfile" ]; then kill "$(cat "$pidfile")" 2>/dev/null || true; fi
  done
}

# A pid of a run that was killed may belong to somebody else by now.
forget() {
  rm -f "$RUN"/*.pid
  rm -rf "$RUN/refused"
}
