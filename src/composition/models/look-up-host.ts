import { lookUpName } from '../../worker/look-up-name.ts'

/**
 * The addresses that name servers know of a name; none where it has none or the signal came first.
 *
 * @param options.servers Absent = those of the system.
 */
export function lookUpHost(name: string, options: Parameters<typeof lookUpName>[0]): Promise<readonly string[]> {
  if (options.signal.aborted) return Promise.resolve([])
  return new Promise((resolve) => {
    lookUpName(options)(name, { all: true }, (_error, found) => resolve(Array.isArray(found) ? found.map(({ address }) => address) : []))
  })
}
