import assert from 'node:assert/strict'
import { type ErrorCode, ServiceError } from '../../../src/core/error.ts'

/** The expected error. */
export interface ExpectedRefusal {
  /** Default: what text routes answer for an invalid value. */
  readonly code?: ErrorCode
  /** The field that it names; null = none, absent = whichever. */
  readonly param?: string | null
  readonly says?: RegExp
}

/** The run throws a refusal of ours, in whole sentences that name the field. */
export function assertRefused(run: () => unknown, { code = 'invalid_request_error', param, says }: ExpectedRefusal): void {
  assert.throws(run, (error: unknown) => isRefusal(error, { code, param, says }))
}

/** The same of what is waited for. */
export async function assertRejected(
  run: Promise<unknown>,
  { code = 'invalid_request_error', param, says }: ExpectedRefusal,
): Promise<void> {
  await assert.rejects(run, (error: unknown) => isRefusal(error, { code, param, says }))
}

function isRefusal(
  error: unknown,
  { code, param, says }: { code: ErrorCode; param: string | null | undefined; says: RegExp | undefined },
): true {
  assert.ok(error instanceof ServiceError, String(error))
  assert.equal(error.code, code, error.message)
  if (param !== undefined) assert.equal(error.param ?? null, param, error.message)
  assert.match(error.message, says ?? /\.$/)
  assert.match(error.message, /\.$/)
  return true
}
