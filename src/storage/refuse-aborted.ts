/** Methods of a store: the last argument holds the signal, where there is one. */
type Method = (...args: readonly unknown[]) => unknown

/** The same ports, whose methods reject with the signal's reason when it has aborted before the call. */
export function refuseAborted<Ports extends Readonly<Record<string, object>>>(ports: Ports): Ports {
  return Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, refusing(port)])) as Ports
}

function refusing<Port extends object>(port: Port): Port {
  return new Proxy(port, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      const method = member.bind(target) as Method
      return (...args: readonly unknown[]) => {
        const signal = signalOf(args.at(-1))
        return signal?.aborted ? Promise.reject(signal.reason) : method(...args)
      }
    },
  })
}

function signalOf(options: unknown): AbortSignal | undefined {
  if (typeof options !== 'object' || options === null || !('signal' in options)) return undefined
  return options.signal instanceof AbortSignal ? options.signal : undefined
}
