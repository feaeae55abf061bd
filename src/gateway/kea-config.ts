/** The part of Kea's configuration that we write. Kea refuses keys that it does not know, so a slip here is found by `kea-dhcp4 -t`. */
export interface Dhcp4File {
  readonly Dhcp4: Server & {
    readonly authoritative: boolean;
    readonly 'match-client-id': boolean;
    readonly subnet4: readonly Subnet<Reservation4>[];
  };
}

export interface Dhcp6File {
  readonly Dhcp6: Server & {
    readonly 'mac-sources': readonly string[];
    readonly 'preferred-lifetime': number;
    readonly subnet6: readonly Subnet<Reservation6>[];
  };
}

export interface Server {
  readonly 'interfaces-config': Interfaces;
  readonly 'control-socket'?: ControlSocket;
  readonly 'control-sockets'?: readonly ControlSocket[];
  readonly 'lease-database': { readonly type: 'memfile'; readonly persist: true; readonly name: string; readonly 'lfc-interval': number };
  readonly 'hooks-libraries': readonly Hook[];
  readonly 'multi-threading': {
    readonly 'enable-multi-threading': true;
    readonly 'thread-pool-size': number;
    readonly 'packet-queue-size': number;
  };
  readonly 'valid-lifetime': number;
  readonly 'calculate-tee-times': true;
  readonly 'decline-probation-period': number;
  readonly 'host-reservation-identifiers': readonly ['hw-address'];
  readonly loggers: readonly Logger[];
}

export interface Interfaces {
  readonly interfaces: readonly string[];
  readonly 'dhcp-socket-type'?: 'raw';
  readonly 'service-sockets-require-all': true;
  readonly 'service-sockets-max-retries': number;
  readonly 'service-sockets-retry-wait-time': number;
}

export interface ControlSocket {
  readonly 'socket-type': 'unix';
  readonly 'socket-name': string;
}

export interface Hook {
  readonly library: string;
  readonly parameters?: { readonly 'high-availability': readonly [HighAvailability] };
}

export interface HighAvailability {
  readonly 'this-server-name': string;
  readonly mode: 'hot-standby';
  readonly 'heartbeat-delay': number;
  readonly 'max-response-delay': number;
  readonly 'max-ack-delay': number;
  readonly 'max-unacked-clients': number;
  readonly 'restrict-commands': true;
  readonly 'multi-threading': {
    readonly 'enable-multi-threading': true;
    readonly 'http-dedicated-listener': true;
    readonly 'http-listener-threads': number;
    readonly 'http-client-threads': number;
  };
  readonly peers: readonly {
    readonly name: string;
    readonly url: string;
    readonly role: 'primary' | 'standby';
    readonly 'auto-failover': true;
  }[];
}

export interface Logger {
  readonly name: string;
  readonly 'output-options': readonly { readonly output: 'stdout' }[];
  readonly severity: 'INFO' | 'WARN';
}

export interface Subnet<R> {
  readonly id: number;
  readonly subnet: string;
  readonly interface: string;
  readonly pools: readonly Pool[];
  readonly 'option-data': readonly OptionData[];
  readonly reservations: readonly R[];
}

export interface Pool {
  readonly pool: string;
  readonly 'client-class'?: 'KNOWN';
  readonly 'client-classes'?: readonly ['KNOWN'];
}

export interface OptionData {
  readonly code: number;
  readonly 'csv-format': boolean;
  readonly data: string;
}

export interface Reservation4 {
  readonly 'hw-address': string;
  readonly 'ip-address'?: string;
  readonly hostname: string;
}

export interface Reservation6 {
  readonly 'hw-address': string;
  readonly 'ip-addresses'?: readonly [string];
  readonly hostname: string;
}
