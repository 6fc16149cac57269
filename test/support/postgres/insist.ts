import { ServiceError } from '../../../src/core/error.ts'

/**
 * Repeats a call that a broken connection or its time limit ended, as a client or the worker does. The look-up of a token or an account has
 * one second, which a busy machine can exceed, above all where it has to connect first.
 */
export async function insist<Result>(call: () => Promise<Result>, tries = 100): Promise<Result> {
  for (let left = tries; ; left--) {
    try {
      return await call()
    } catch (error) {
      if (left === 0 || !(error instanceof ServiceError && error.code === 'server_is_overloaded')) throw error
    }
  }
}
