import type { ErrorBody } from '../../src/http/faults/error-body.ts'

interface Refusal {
  readonly error: ErrorBody['error'] | string
  readonly code?: ErrorBody['error']['code']
  readonly detail?: unknown
}

/** A JSON answer as a record of anything. */
export async function readJson(response: Response): Promise<Record<string, unknown>> {
  return JSON.parse(await response.text())
}

/** The error object of a refusal; what the errors of Ollama's and A1111's routes leave out is empty. */
export async function readError(response: Response): Promise<ErrorBody['error']> {
  const { error, code = 'internal_error', detail }: Refusal = JSON.parse(await response.text())
  if (typeof error !== 'string') return error
  return typeof detail === 'string' ? { message: detail, type: '', param: null, code } : { message: error, type: '', param: null, code }
}
