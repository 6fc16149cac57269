import { signal } from '@preact/signals'
import { isTyping } from '../browser/is-typing.ts'
import { languageOf, sentenceOf } from '../interface/request.ts'
import { t } from '../language/t.ts'

export interface Toast {
  readonly id: number
  readonly message: string
  /** The language of the message if it is not the page's. */
  readonly language: 'en' | undefined
  /** An action with its label. The message is replaced by the action's own (absent = "undone"); after a failure it stays. */
  readonly action: { readonly label: string; readonly run: () => unknown; readonly done?: string } | null
}

const shownMs = 5000
/** Longer for messages with an action. */
const shownWithActionMs = 10_000
let nextId = 1

/** Short messages on top of the page, which disappear by themselves. */
export const toasts = signal<readonly Toast[]>([])

const timers = new Map<number, ReturnType<typeof setTimeout>>()
/** What keeps a message. */
type Holder = 'pointer' | 'focus'
/** The messages that are hovered or focused, or both. */
const held = new Map<number, ReadonlySet<Holder>>()

/** The text that screen readers announce for a visible change; announced again when `id` changes. */
export const announcement = signal({ id: 0, text: '' })

/** Announces a change to screen readers. */
export function announce(text: string): void {
  announcement.value = { id: announcement.peek().id + 1, text }
}

/** The number of open modal dialogs. Content below the topmost one cannot be reached. */
export const dialogDepth = signal(0)

/** Shows a message for five seconds, or ten with an action. */
export function showToast(message: string, action: Toast['action'] = null): void {
  show({ id: nextId++, message, language: undefined, action })
}

/** Shows a failure for five seconds. */
export function showFailure(failure: unknown): void {
  show({ id: nextId++, message: sentenceOf(failure), language: languageOf(failure), action: null })
}

function show(toast: Toast): void {
  toasts.value = [...toasts.value, toast]
  startTime(toast)
}

/** Keeps a message while it is hovered or focused. */
export function holdToast({ id }: Pick<Toast, 'id'>, by: Holder): void {
  held.set(id, new Set(held.get(id)).add(by))
  clearTimeout(timers.get(id))
}

/** Starts a message's time again when it is neither hovered nor focused. */
export function releaseToast(toast: Pick<Toast, 'id' | 'action'>, by: Holder): void {
  const others = [...(held.get(toast.id) ?? [])].filter((holder) => holder !== by)
  if (others.length > 0) return void held.set(toast.id, new Set(others))
  held.delete(toast.id)
  if (toasts.peek().some(({ id }) => id === toast.id)) startTime(toast)
}

function startTime({ id, action }: Pick<Toast, 'id' | 'action'>): void {
  clearTimeout(timers.get(id))
  const timer = setTimeout(() => dismissToast({ id }), action === null ? shownMs : shownWithActionMs)
  timers.set(id, timer)
}

/** Runs a message's action and removes the message; after a failure it stays for a retry. */
export async function runToast(toast: Toast): Promise<void> {
  clearTimeout(timers.get(toast.id))
  try {
    await toast.action?.run()
    dismissToast(toast)
    announce(toast.action?.done ?? t`Undone.`)
  } catch (failure) {
    if (!held.has(toast.id)) startTime(toast)
    throw failure
  }
}

/**
 * Runs the newest message's action on Control or Command with Z outside of text fields.
 *
 * @returns a function that stops listening.
 */
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

/** Removes a message. */
export function dismissToast({ id }: Pick<Toast, 'id'>): void {
  clearTimeout(timers.get(id))
  timers.delete(id)
  held.delete(id)
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}
