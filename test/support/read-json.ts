import type { ErrorBody } from '../../src/http/faults/error-body.ts'

/** A JSON answer as a record of anything. */
export async function readJson(response: Response): Promise<Record<string, unknown>> {
  return JSON.parse(await response.text())
}

/** The error object of a refusal; what the errors of Ollama's routes leave out is empty. */
export async function readError(response: Response): Promise<ErrorBody['error']> {
  const { error, code }: { readonly error: ErrorBody['error'] | string; readonly code?: ErrorBody['error']['code'] } = JSON.parse(
    await response.text(),
  )
  return typeof error === 'string' ? { message: error, type: '', param: null, code: code ?? 'internal_error' } : error
}
