import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { Role } from '../../../../core/account.ts'
import { request } from '../../interface/request.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { FailureNote } from '../../parts/failure-note.tsx'
import { Segments } from '../../parts/segments.tsx'
import { useSubmit } from '../../parts/use-submit.ts'

const roles = [
  { value: 'member', label: 'Member' },
  { value: 'owner', label: 'Owner' },
] as const

/** Makes a link that lets one person in. */
export function InviteDialog({ onClose }: { onClose: () => void }): VNode {
  const role = useSignal<Role>('member')
  const link = useSignal<string | null>(null)
  const { busy, failure, submit } = useSubmit(async () => {
    const { code } = await request<{ code: string }>('/console/api/invitations', { method: 'POST', body: { role: role.value } })
    link.value = `${location.origin}/console/join#${code}`
  })
  return (
    <Dialog title="Invite somebody" onClose={onClose}>
      {link.value ? (
        <div class="stack">
          <p class="soft">Send this link to one person. It works once, for three days, and is not shown again.</p>
          <code class="token-text">{link.value}</code>
          <div class="row">
            <CopyButton text={link.value} primary label="Copy the link" />
          </div>
        </div>
      ) : (
        <form class="stack" onSubmit={submit}>
          {failure.value ? <FailureNote failure={failure.value} /> : null}
          <Segments
            label="Role"
            options={roles}
            value={role.value}
            onChange={(value) => {
              role.value = value
            }}
          />
          <p class="soft">
            {role.value === 'owner'
              ? 'Owners invite and lock people, load models and see everybody’s usage.'
              : 'Members use the models, make tokens and see only their own requests.'}
          </p>
          <div>
            <button type="submit" class="button primary" disabled={busy.value}>
              Make the link
            </button>
          </div>
        </form>
      )}
    </Dialog>
  )
}
