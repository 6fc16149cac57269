import { type Signal, useSignal } from '@preact/signals'
import { useCallback, useEffect, useRef } from 'preact/hooks'
import { neverAborted } from '../../../core/waiting.ts'
import { isUnreachable } from '../interface/request.ts'
import { answersInOrder } from './answers-in-order.ts'
import { useRepeat } from './repeat.ts'
import { isSignedOut, loadSession } from './session.ts'

/** Interval of new attempts while the service is away. */
const retryMs = 3000

export type Resource<Value> =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly failure: unknown }
  /** `failure` is the error of the last reload; absent = it succeeded. */
  | { readonly state: 'ready'; readonly value: Value; readonly failure?: unknown }

/**
 * Loads something for as long as a component shows it. The value stays while `reload` runs, and when that fails. A late answer does not
 * replace that of a later request. While the service cannot be reached, it is asked again. After the end of a session, the page shows the
 * sign-in.
 *
 * @param everyMs Interval at which it is loaded again; null = never.
 */
export function useResource<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  inputs: readonly unknown[],
  everyMs: number | null = null,
): { readonly resource: Signal<Resource<Value>>; readonly reload: () => Promise<void> } {
  const resource = useSignal<Resource<Value>>({ state: 'loading' })
  /** The inputs that the value belongs to. */
  const shown = useRef<readonly unknown[] | null>(null)
  const { current: ask } = useRef(answersInOrder())
  const run = useCallback(async (signal: AbortSignal) => {
    const isNewest = ask()
    try {
      const value = await load(signal)
      if (signal.aborted || !isNewest()) return
      resource.value = { state: 'ready', value }
      shown.current = inputs
    } catch (failure) {
      if (signal.aborted || !isNewest()) return
      const before = resource.peek()
      if (isSignedOut(failure)) void loadSession()
      else if (before.state === 'ready' && shown.current === inputs) resource.value = { ...before, failure }
      else resource.value = { state: 'failed', failure }
    }
  }, inputs)
  useEffect(() => {
    const controller = new AbortController()
    void run(controller.signal)
    return () => controller.abort()
  }, [run])
  const { value: now } = resource
  const isLost = 'failure' in now && isUnreachable(now.failure)
  useRepeat(
    useCallback(() => run(neverAborted.signal), [run]),
    isLost ? Math.min(retryMs, everyMs ?? retryMs) : everyMs,
  )
  const newest = useRef(run)
  newest.current = run
  // A caller may keep `reload` from an earlier render; it sends the current request.
  return { resource, reload: () => newest.current(neverAborted.signal) }
}
