import { type Signal, useSignal } from '@preact/signals'

export interface Submission {
  readonly busy: Signal<boolean>
  readonly failure: Signal<unknown>
  readonly submit: (event: Event) => void
}

/** Sends a form once at a time and keeps what went wrong. */
export function useSubmit(send: () => Promise<void>): Submission {
  const busy = useSignal(false)
  const failure = useSignal<unknown>(null)
  const run = async () => {
    busy.value = true
    failure.value = null
    try {
      await send()
    } catch (error) {
      failure.value = error
    } finally {
      busy.value = false
    }
  }
  return {
    busy,
    failure,
    submit: (event) => {
      event.preventDefault()
      if (!busy.value) void run()
    },
  }
}
