import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { Account, Role } from '../../../../core/account.ts'
import type { InvitationMade, NewInvitation } from '../../../contract/people.ts'
import { isLoopback, serviceAddress } from '../../browser/base-path.ts'
import { request } from '../../interface/request.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { FailureNote } from '../../parts/failure-note.tsx'
import { bind } from '../../parts/fields/bind.ts'
import { Segments } from '../../parts/fields/segments.tsx'
import { TextField } from '../../parts/fields/text-field.tsx'
import { useSubmit } from '../../parts/use-submit.ts'
import { announce } from '../../state/toasts.ts'

const roles = [
  { value: 'member', label: t`Member` },
  { value: 'owner', label: t`Owner` },
] as const

interface InviteDialogProps {
  /** The account whose sign-in the link resets; null = a new account. */
  readonly account: Account | null
  readonly onClose: () => void
}

/** Creates a link for one person to join, or to reset a sign-in. */
export function InviteDialog({ account, onClose }: InviteDialogProps): VNode {
  const role = useSignal<Role>('member')
  const note = useSignal('')
  const link = useSignal<string | null>(null)
  const { busy, failure, submit } = useSubmit(async () => {
    const forWhom = note.value.trim()
    const invited = { role: role.value, ...(forWhom !== '' && { note: forWhom }) }
    const body: NewInvitation = account === null ? invited : { role: account.role, accountId: account.id }
    const { code } = await request<InvitationMade>('/console/api/invitations', { method: 'POST', body })
    link.value = `${serviceAddress()}/console/join#${code}`
    announce(t`Link created.`)
  })
  return (
    <Dialog title={account === null ? t`Invite somebody` : t`A sign-in link for ${account.name}`} onClose={onClose}>
      {link.value ? (
        <LinkShown link={link.value} />
      ) : (
        <form class="stack" onSubmit={submit}>
          {failure.value ? <FailureNote failure={failure.value} /> : null}
          {account === null ? (
            <>
              <RoleChoice role={role.value} onChange={(value) => (role.value = value)} />
              <TextField
                label={t`Note (optional)`}
                maxLength={100}
                hint={t`For example a name. It is shown with the open invitations.`}
                {...bind(note)}
              />
            </>
          ) : (
            <ResetNote />
          )}
          <div>
            <Button tone="primary" busy={busy.value}>{t`Create link`}</Button>
          </div>
        </form>
      )}
    </Dialog>
  )
}

function LinkShown({ link }: { link: string }): VNode {
  return (
    <div class="stack">
      <p class="soft">{t`Send this link to one person. It works once, for three days, and is not shown again.`}</p>
      <code class="token-text">{link}</code>
      <div class="row">
        <CopyButton text={link} primary label={t`Copy the link`} />
      </div>
      {isLoopback(location.hostname) ? (
        <p class="note warn">
          {t.rich`This link works only on this machine. To invite people on other machines, ${<a href="/docs/network">{t`open Sepia to the network`}</a>}, and create the link there.`}
        </p>
      ) : null}
    </div>
  )
}

function RoleChoice({ role, onChange }: { role: Role; onChange: (role: Role) => void }): VNode {
  return (
    <>
      <Segments label={t`Role`} options={roles} value={role} onChange={onChange} />
      <p class="soft">
        {role === 'owner'
          ? t`Owners invite and disable people, load models and see everyone’s usage.`
          : t`Members use the models, create tokens and see only their own requests.`}
      </p>
    </>
  )
}

function ResetNote(): VNode {
  return (
    <p class="soft">{t`With this link they choose a new e-mail address and password. The old ones work until then; tokens don’t change.`}</p>
  )
}
