import { createContext, Script } from 'node:vm'

const script = new Script('work()')

/**
 * Runs synchronous work and stops it, loops and all, after a time.
 *
 * @throws {Error} with code `ERR_SCRIPT_EXECUTION_TIMEOUT` when the time is up; whatever `work` throws.
 */
export function runWithin<Result>(milliseconds: number, work: () => Result): Result {
  let result: { readonly value: Result } | undefined
  const context = createContext({
    work: () => {
      result = { value: work() }
    },
  })
  script.runInContext(context, { timeout: milliseconds })
  if (result === undefined) throw new Error('The work ended without a result.')
  return result.value
}
