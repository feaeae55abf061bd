# shellcheck shell=sh
# What a daemon would not take, written down where its readiness probe finds it. POSIX sh; sourced, never run.
#
# A container whose mounted configuration was refused goes on serving the last good one and is not ready: the probe's output, and so an
# event of the pod, says which file and why, and the operator reads it there.

# refuse FILE: why is read from standard input. One line, as a person would quote it.
refuse() {
  mkdir -p "$RUN/refused"
  tr '\n' ' ' | tail -c 500 >"$RUN/refused/.$1"
  mv "$RUN/refused/.$1" "$RUN/refused/$1"
}

accept() {
  rm -f "$RUN/refused/$1"
}

# Ends with 1 and tells if there is one.
none_refused() {
  for refused_file in "$RUN"/refused/*; do
    [ -e "$refused_file" ] || continue
    printf '%s was refused: %s\n' "${refused_file##*/}" "$(cat "$refused_file")"
    return 1
  done
}
