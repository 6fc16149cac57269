import { signal } from '@preact/signals'
import { isTyping } from '../browser/is-typing.ts'
import { languageOf, sentenceOf } from '../interface/request.ts'
import { t } from '../language/t.ts'

export interface Toast {
  readonly id: number
  readonly message: string
  /** Of the message, where it is not the page's. */
  readonly language: 'en' | undefined
  /** What can be pressed, and what is done then, with the message afterwards (absent = that it is undone); where it fails the message stays. */
  readonly action: { readonly label: string; readonly run: () => unknown; readonly done?: string } | null
}

const shownMs = 5000
/** Longer where there is something to press. */
const shownWithActionMs = 10_000
let nextId = 1

/** Short messages on top of the page; each leaves by itself. */
export const toasts = signal<readonly Toast[]>([])

const timers = new Map<number, ReturnType<typeof setTimeout>>()

/** What screen readers announce of a visible change; announced again when `id` changes. */
export const announcement = signal({ id: 0, text: '' })

/** Tells screen readers what others see. */
export function announce(text: string): void {
  announcement.value = { id: announcement.peek().id + 1, text }
}

/** How many modal dialogs lie over the page; what is shown below the last of them can be neither seen nor pressed. */
export const dialogDepth = signal(0)

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
  releaseToast(toast)
}

/** Lets a message stay for as long as somebody is at it. */
export function holdToast({ id }: Pick<Toast, 'id'>): void {
  clearTimeout(timers.get(id))
}

/** Lets a message leave after its time, counted from now. */
export function releaseToast({ id, action }: Pick<Toast, 'id' | 'action'>): void {
  clearTimeout(timers.get(id))
  const timer = setTimeout(() => dismissToast({ id }), action === null ? shownMs : shownWithActionMs)
  timers.set(id, timer)
}

/** Does what a message offers and takes it away; where that fails it stays for another try. */
export async function runToast(toast: Toast): Promise<void> {
  holdToast(toast)
  try {
    await toast.action?.run()
    dismissToast(toast)
    announce(toast.action?.done ?? t`Undone.`)
  } catch (failure) {
    releaseToast(toast)
    throw failure
  }
}

/** Does what the newest message offers on Control or Command with Z, where nobody types. Returns the way to stop. */
export function listenForUndo(): () => void {
  const onKey = (event: KeyboardEvent) => {
    const isUndoKey = event.key.toLowerCase() === 'z' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey
    const offering = toasts.peek().findLast(({ action }) => action !== null)
    if (!isUndoKey || event.defaultPrevented || offering === undefined || isTyping(event.target)) return
    event.preventDefault()
    void runToast(offering).catch(showFailure)
  }
  window.addEventListener('keydown', onKey)
  return () => window.removeEventListener('keydown', onKey)
}

function dismissToast({ id }: Pick<Toast, 'id'>): void {
  clearTimeout(timers.get(id))
  timers.delete(id)
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}
