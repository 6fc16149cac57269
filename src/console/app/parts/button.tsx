import { useSignal } from '@preact/signals'
import type { ComponentChildren, VNode } from 'preact'
import { showFailure } from '../state/toasts.ts'
import { Icon, type IconName } from './icon.tsx'

interface ButtonProps {
  /** What it says; with `iconOnly` what a screen reader says. */
  readonly children: ComponentChildren
  /** What it does; the button that sends its form has none. While what it returns is under way it cannot be pressed again, and a failure is shown. */
  readonly onClick?: (press: MouseEvent) => unknown
  /** Whether what it does is under way; it keeps the focus, and cannot be pressed. */
  readonly busy?: boolean
  /** Where it leads; it is then a link. */
  readonly href?: string
  readonly download?: boolean
  readonly tone?: 'plain' | 'primary' | 'quiet' | 'danger'
  readonly size?: 'small' | 'normal' | 'wide'
  readonly icon?: IconName
  /** Shows nothing but the icon; the words become its name and its title. */
  readonly iconOnly?: boolean
  readonly disabled?: boolean
  readonly class?: string
}

/** Everything that is pressed: does something, sends its form, or leads somewhere. */
export function Button({ children, onClick, busy = false, href, download, disabled, icon, iconOnly = false, ...look }: ButtonProps): VNode {
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
  const title = iconOnly && typeof children === 'string' ? children : undefined
  const content = (
    <>
      {icon ? <Icon name={icon} size={iconOnly && size !== 'small' ? 18 : 16} /> : null}
      {iconOnly ? <span class="hidden-text">{children}</span> : children}
    </>
  )
  return href === undefined ? (
    <button
      type={onClick ? 'button' : 'submit'}
      class={classes}
      title={title}
      disabled={disabled}
      aria-busy={isBusy || undefined}
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
