#!/bin/sh
# Becomes a process of the lab: joins the lab's cgroup, writes down who it is, and only then executes the command.
# So there is no moment at which the command runs and `lab down` does not know it, whoever is killed when.
#   launch.sh LAB_DIR CGROUP PART COMMAND...      PART is "-" for a short command, which the cgroup alone accounts for
set -eu
dir=$1 cgroup=$2 part=$3
shift 3
echo $$ >"$cgroup/cgroup.procs"
if [ "$part" != - ]; then
  read -r stat <"/proc/$$/stat"
  # Everything up to ") " is cut off: the 20th field after it is the start time.
  start=$(echo "${stat##*) }" | cut -d' ' -f20)
  echo "$$ $start" >"$dir/parts/.$part"
  mv "$dir/parts/.$part" "$dir/parts/$part"
fi
# `down` makes this file first and reads the records after. We wrote ours first and look after. So one of the two sees the other.
if [ -e "$dir/closing" ]; then
  echo "the lab is being taken down" >&2
  exit 75
fi
exec "$@"
