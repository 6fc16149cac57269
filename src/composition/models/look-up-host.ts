import { lookUpName } from '../../worker/look-up-name.ts'

/** The addresses that the name servers of this machine know of a name; none where it has none or the signal came first. */
export function lookUpHost(name: string, options: { readonly signal: AbortSignal }): Promise<readonly string[]> {
  return new Promise((resolve) => {
    lookUpName(options)(name, { all: true }, (_error, found) => resolve(Array.isArray(found) ? found.map(({ address }) => address) : []))
  })
}
