import type { ErrorBody } from '../../src/http/faults/error-body.ts'

/** A JSON answer as a record of anything. */
export async function readJson(response: Response): Promise<Record<string, unknown>> {
  return JSON.parse(await response.text())
}

/** The error object of a refusal. */
export async function readError(response: Response): Promise<ErrorBody['error']> {
  const body: ErrorBody = JSON.parse(await response.text())
  return body.error
}
