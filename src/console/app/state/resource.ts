import { type Signal, useSignal } from '@preact/signals'
import { useCallback, useEffect } from 'preact/hooks'
import { unstoppable } from '../../../core/waiting.ts'
import { isSignedOut, loadSession } from './session.ts'

export type Resource<Value> =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly failure: unknown }
  | { readonly state: 'ready'; readonly value: Value }

/**
 * Loads something for as long as a component shows it; what was loaded stays while `reload` is under way.
 * A session that ended sends the page to sign-in.
 */
export function useResource<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  inputs: readonly unknown[],
): { readonly resource: Signal<Resource<Value>>; readonly reload: () => Promise<void> } {
  const resource = useSignal<Resource<Value>>({ state: 'loading' })
  const run = useCallback(async (signal: AbortSignal) => {
    try {
      const value = await load(signal)
      if (!signal.aborted) resource.value = { state: 'ready', value }
    } catch (failure) {
      if (signal.aborted) return
      if (isSignedOut(failure)) void loadSession()
      else resource.value = { state: 'failed', failure }
    }
  }, inputs)
  useEffect(() => {
    const controller = new AbortController()
    void run(controller.signal)
    return () => controller.abort()
  }, [run])
  return { resource, reload: () => run(unstoppable.signal) }
}
