import type { Signal } from '@preact/signals'
import type { VNode } from 'preact'
import { shortestPassword } from '../../../../core/account.ts'
import { t } from '../../language/t.ts'
import { bind } from './bind.ts'
import { TextField } from './text-field.tsx'

interface AccountFieldProps {
  readonly text: Signal<string>
  readonly hint?: string
  readonly fault?: string | null
}

/** A user's display name. */
export function NameField({ text, fault = null }: AccountFieldProps): VNode {
  return <TextField label={t`Name`} autocomplete="name" required maxLength={100} fault={fault} {...bind(text)} />
}

/** A user's e-mail address for signing in. */
export function EmailField({ text, hint, fault = null }: AccountFieldProps): VNode {
  return <TextField label={t`E-mail`} type="email" autocomplete="username" required hint={hint} fault={fault} {...bind(text)} />
}

/** An existing password. */
export function PasswordField({ text, label = t`Password`, hint, fault = null }: AccountFieldProps & { readonly label?: string }): VNode {
  return <TextField label={label} type="password" autocomplete="current-password" required hint={hint} fault={fault} {...bind(text)} />
}

/** A new password. */
export function NewPasswordField({
  text,
  label,
  hint,
  required,
  fault = null,
}: AccountFieldProps & { readonly label: string; readonly required: boolean }): VNode {
  const further = { required, minLength: shortestPassword, hint, fault }
  return <TextField label={label} type="password" autocomplete="new-password" {...further} {...bind(text)} />
}

/** A code from an authenticator app, or a recovery code. */
export function CodeField({ text, hint, fault = null }: AccountFieldProps): VNode {
  return (
    <TextField label={t`One-time code`} autocomplete="one-time-code" required maxLength={64} hint={hint} fault={fault} {...bind(text)} />
  )
}
