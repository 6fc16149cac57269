import { signal } from '@preact/signals'
import { languageOf, sentenceOf } from '../interface/request.ts'

export interface Toast {
  readonly id: number
  readonly message: string
  /** Of the message, where it is not the page's. */
  readonly language: 'en' | undefined
  readonly action: { readonly label: string; readonly run: () => void } | null
}

const shownMs = 5000
/** Longer where there is something to press. */
const shownWithActionMs = 10_000
let nextId = 1

/** Short messages on top of the page; each leaves by itself. */
export const toasts = signal<readonly Toast[]>([])

/** Shows a message for five seconds, or for ten with something to press. */
export function showToast(message: string, action: Toast['action'] = null): void {
  show({ id: nextId++, message, language: undefined, action })
}

/** Shows what went wrong, for five seconds. */
export function showFailure(failure: unknown): void {
  show({ id: nextId++, message: sentenceOf(failure), language: languageOf(failure), action: null })
}

function show(toast: Toast): void {
  toasts.value = [...toasts.value, toast]
  setTimeout(() => dismissToast(toast.id), toast.action === null ? shownMs : shownWithActionMs)
}

/** Takes a message away before its time. */
export function dismissToast(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}
