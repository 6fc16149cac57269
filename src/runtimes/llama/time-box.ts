import { createContext, Script } from 'node:vm'

let work: () => void = () => {}
const script = new Script('work()')
const context = createContext({ work: () => work() })

/**
 * Runs synchronous work and stops it, loops and all, after a time.
 *
 * @throws {Error} with code `ERR_SCRIPT_EXECUTION_TIMEOUT` when the time is up; whatever `run` throws.
 */
export function runWithin<Result>(milliseconds: number, run: () => Result): Result {
  let result: { readonly value: Result } | undefined
  work = () => {
    result = { value: run() }
  }
  script.runInContext(context, { timeout: milliseconds })
  if (result === undefined) throw new Error('The work ended without a result.')
  return result.value
}
