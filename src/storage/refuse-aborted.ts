/** Wraps ports so that each method rejects with the reason of the signal in its last argument if it has aborted before the call. */
export function refuseAborted<Ports extends Readonly<Record<string, object>>>(ports: Ports): Ports {
  return Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, refusing(port)])) as Ports
}

function refusing<Port extends object>(port: Port): Port {
  return new Proxy(port, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      return (...args: readonly unknown[]): unknown => {
        const signal = signalOf(args.at(-1))
        return signal?.aborted ? Promise.reject(signal.reason) : Reflect.apply(member, target, args)
      }
    },
  })
}

function signalOf(options: unknown): AbortSignal | undefined {
  if (typeof options !== 'object' || options === null || !('signal' in options)) return undefined
  return options.signal instanceof AbortSignal ? options.signal : undefined
}
