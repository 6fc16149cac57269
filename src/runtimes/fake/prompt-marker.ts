import { type ErrorCode, errorCodes, ServiceError } from '../../core/error.ts'

/** A fault requested by a prompt, and the number of tokens or steps before it. */
export interface Fault {
  readonly kind: 'crash' | 'hang' | 'fail'
  /** Only for `fail`. */
  readonly code: ErrorCode
  readonly after: number
}

/**
 * Finds `[crash]`, `[hang]` or `[fail <error code>]` in a prompt, each also as `[crash after 3]`.
 *
 * `crash` takes the whole model down, `hang` waits until aborted, `fail` fails this request only.
 */
export function findFault(prompt: string): Fault | undefined {
  const match = /\[(?:(?<kind>crash|hang)|fail (?<code>\w+))(?: after (?<after>\d+))?\]/.exec(prompt)
  if (match?.groups === undefined) return undefined
  const { kind, code, after = '0' } = match.groups
  return {
    kind: kind === 'crash' || kind === 'hang' ? kind : 'fail',
    code: errorCodes.find((known) => known === code) ?? 'inference_failed',
    after: Number(after),
  }
}

/** Executes the fault if it is due at this token or step. */
export async function actOnFault(
  fault: Fault | undefined,
  done: number,
  { signal, crash }: { readonly signal: AbortSignal; readonly crash?: (() => void) | undefined },
): Promise<void> {
  if (fault === undefined || fault.after !== done) return
  if (fault.kind === 'hang') await aborted(signal)
  if (fault.kind === 'crash') crash?.()
  throw new ServiceError(fault.kind === 'crash' ? 'inference_failed' : fault.code, 'The prompt asked the fake model to fail.')
}

/** Finds the text in `[say <text>]`, which the fake text model answers word for word. */
export function findAnswer(prompt: string): string | undefined {
  return /\[say (?<text>[^\]]*)\]/.exec(prompt)?.groups?.text
}

/** Finds the text in `[think <text>]`, which the fake text model thinks before it answers. */
export function findThoughts(prompt: string): string | undefined {
  return /\[think (?<text>[^\]]*)\]/.exec(prompt)?.groups?.text
}

/** A tool to call, and the JSON to call it with. */
export interface MarkedCall {
  readonly name: string
  readonly arguments: string
}

/**
 * Finds `[call <name>]` or `[call <name> {…}]`, which make the fake text model call tools, one after the other: of several, the one
 * whose predecessors have been answered.
 */
export function findToolCall(prompt: string, answered: number): MarkedCall | undefined {
  const { name, input = '{}' } = [...prompt.matchAll(/\[call (?<name>[\w-]+)(?: (?<input>\{.*?\}))?\]/g)][answered]?.groups ?? {}
  return name === undefined ? undefined : { name, arguments: input }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) return reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
