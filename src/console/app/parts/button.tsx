import { useSignal } from '@preact/signals'
import type { ComponentChildren, VNode } from 'preact'
import { showFailure } from '../state/toasts.ts'
import { Icon, type IconName } from './icon.tsx'

interface ButtonProps {
  /** The label; with `iconOnly` it is only for screen readers. */
  readonly children: ComponentChildren
  /** Completes the label for screen readers, where others beside it say the same. */
  readonly about?: string
  /** The action; absent for a submit button. While a returned promise is pending the button is disabled, and a failure is shown. */
  readonly onClick?: (press: MouseEvent) => unknown
  /** Whether the action is running. The button keeps the focus but cannot be pressed. */
  readonly busy?: boolean
  /** Makes the button a link to this address. */
  readonly href?: string
  readonly download?: boolean
  readonly tone?: 'plain' | 'primary' | 'quiet' | 'danger'
  readonly size?: 'small' | 'normal' | 'wide'
  readonly icon?: IconName
  /** Shows only the icon; the label becomes its accessible name and title. */
  readonly iconOnly?: boolean
  readonly disabled?: boolean
  /** Why it is disabled, as a sentence. */
  readonly reason?: string | undefined
  /** Its whole name where others beside it say the same. */
  readonly name?: string
  readonly class?: string
}

/** A button: runs an action, submits a form or links to a page. */
export function Button({
  children,
  about,
  onClick,
  busy = false,
  href,
  download,
  disabled,
  reason,
  icon,
  iconOnly = false,
  name,
  ...look
}: ButtonProps): VNode {
  const { tone = 'plain', size = 'normal', class: own } = look
  const working = useSignal(false)
  const isBusy = busy || working.value
  const press = (event: MouseEvent) => {
    if (isBusy) return event.preventDefault()
    const work = onClick?.(event)
    if (!(work instanceof Promise)) return
    working.value = true
    work.catch(showFailure).finally(() => (working.value = false))
  }
  const classes = ['button', tone, size, iconOnly && 'icon-only', own].filter(Boolean).join(' ')
  const title = reason ?? (iconOnly && typeof children === 'string' ? children : undefined)
  const content = (
    <>
      {icon ? <Icon name={icon} size={iconOnly && size !== 'small' ? 18 : 16} /> : null}
      {iconOnly ? <span class="hidden-text">{children}</span> : children}
      {about ? <span class="hidden-text"> {about}</span> : null}
    </>
  )
  return href === undefined ? (
    <button
      type={onClick ? 'button' : 'submit'}
      class={classes}
      title={title}
      aria-label={name}
      aria-description={reason}
      disabled={disabled}
      aria-busy={isBusy || undefined}
      data-removes={icon === 'trash' || tone === 'danger' || undefined}
      aria-disabled={isBusy || undefined}
      onClick={press}
    >
      {content}
    </button>
  ) : (
    <a class={classes} title={title} href={href} download={download}>
      {content}
    </a>
  )
}
