#!/bin/sh
# Called by busybox udhcpc. Takes what RHCOS's NetworkManager takes: address, routes (121 wins over 3), DNS, search domains, MTU, and
# the host name of option 12. In a worker of its own these are the system's; a light worker keeps them in LAB_DIR beside the host's.
# udhcpc checks names and domains before it hands them over.
set -u
resolv=${LAB_DIR:+$LAB_DIR/}resolv.conf
[ -n "${LAB_DIR:-}" ] || resolv=/etc/resolv.conf
state=${LAB_DIR:-/run/lab}

routes() {
  # Pairs "network/bits gateway"; with classless routes a client must not look at the router option.
  if [ -n "${staticroutes:-}" ]; then
    set -- $staticroutes
    while [ $# -ge 2 ]; do
      if [ "$2" = 0.0.0.0 ]; then ip route replace "$1" dev "$interface" src "$ip"; else ip route replace "$1" via "$2" dev "$interface" onlink; fi
      shift 2
    done
  else
    for gateway in ${router:-}; do ip route replace default via "$gateway" dev "$interface" && break; done
  fi
}

case "$1" in
  deconfig)
    ip -4 address flush dev "$interface"
    ip link set "$interface" up
    ;;
  bound | renew)
    [ -z "${mtu:-}" ] || ip link set "$interface" mtu "$mtu"
    [ "$1" = renew ] || ip -4 address flush dev "$interface"
    ip address replace "$ip/$mask" dev "$interface"
    routes
    {
      [ -z "${search:-${domain:-}}" ] || echo "search ${search:-$domain}"
      for server in ${dns:-}; do echo "nameserver $server"; done
    } >"$resolv.new" && mv "$resolv.new" "$resolv"
    if [ -n "${hostname:-}" ]; then
      echo "$hostname" >"$state/hostname"
      [ -n "${LAB_DIR:-}" ] || hostname "$hostname"
    fi
    if [ ! -e "$state/lease" ]; then
      printf '%s\tlease\t%s %s\n' "$(date +%s.%N)" "$ip/$mask" "${hostname:-}" >>"$LAB_STEPS"
      echo "$ip/$mask" >"$state/lease.new" && mv "$state/lease.new" "$state/lease"
    fi
    ;;
esac
