import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { showFailure } from '../state/toasts.ts'

export interface Submission {
  readonly busy: Signal<boolean>
  readonly failure: Signal<unknown>
  readonly submit: (event: Event) => void
}

/**
 * Submits a form once at a time and stores its failure, which is shown even after the form was closed. A field with a fault gets the focus, so
 * that its fault is read out.
 */
export function useSubmit(send: () => Promise<void>): Submission {
  const busy = useSignal(false)
  const failure = useSignal<unknown>(null)
  const isGone = useRef(false)
  useEffect(
    () => () => {
      isGone.current = true
    },
    [],
  )
  const form = useRef<EventTarget | null>(null)
  useEffect(() => {
    if (failure.value !== null && form.current instanceof HTMLElement)
      form.current.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [failure.value])
  const run = async () => {
    busy.value = true
    failure.value = null
    try {
      await send()
    } catch (error) {
      failure.value = error
      if (isGone.current) showFailure(error)
    } finally {
      busy.value = false
    }
  }
  return {
    busy,
    failure,
    submit: (event) => {
      event.preventDefault()
      form.current = event.currentTarget
      if (!busy.value) void run()
    },
  }
}
