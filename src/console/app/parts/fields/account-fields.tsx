import type { Signal } from '@preact/signals'
import type { VNode } from 'preact'
import { shortestPassword } from '../../../../core/account.ts'
import { t } from '../../language/t.ts'
import { bind } from './bind.ts'
import { TextField } from './text-field.tsx'

interface AccountFieldProps {
  readonly text: Signal<string>
  readonly hint?: string
}

/** What others call a person. */
export function NameField({ text }: AccountFieldProps): VNode {
  return <TextField label={t`Name`} autocomplete="name" required maxLength={100} {...bind(text)} />
}

/** What a person signs in with. */
export function EmailField({ text, hint }: AccountFieldProps): VNode {
  return <TextField label={t`E-mail`} type="email" autocomplete="username" required hint={hint} {...bind(text)} />
}

/** A password somebody has already. */
export function PasswordField({ text, label = t`Password`, hint }: AccountFieldProps & { readonly label?: string }): VNode {
  return <TextField label={label} type="password" autocomplete="current-password" required hint={hint} {...bind(text)} />
}

/** A password somebody chooses. */
export function NewPasswordField({
  text,
  label,
  hint,
  required,
}: AccountFieldProps & { readonly label: string; readonly required: boolean }): VNode {
  const further = { required, minLength: shortestPassword, hint }
  return <TextField label={label} type="password" autocomplete="new-password" {...further} {...bind(text)} />
}

/** What an authenticator app shows, or a recovery code. */
export function CodeField({ text, hint }: AccountFieldProps): VNode {
  return <TextField label={t`One-time code`} autocomplete="one-time-code" required maxLength={64} hint={hint} {...bind(text)} />
}
