import { makeLateError } from '../upstream-error.ts'

/**
 * A signal that aborts with the caller's, or when one picture has taken longer than its server may; disposing it ends the count.
 *
 * @param firstMs null = the caller's alone.
 */
export function limitDrawing(
  firstMs: number | null,
  { signal }: { readonly signal: AbortSignal },
): Disposable & { readonly signal: AbortSignal } {
  if (firstMs === null) return { signal, [Symbol.dispose]: () => undefined }
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(makeLateError('first', firstMs)), firstMs)
  return { signal: AbortSignal.any([signal, late.signal]), [Symbol.dispose]: () => clearTimeout(timer) }
}
