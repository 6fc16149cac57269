import type { VNode } from 'preact'
import type { OpenIdStart } from '../../../contract/session.ts'
import { t } from '../../language/t.ts'
import { leaveForOrganisation } from '../../state/session.ts'
import { Button } from '../button.tsx'
import { FailureNote } from '../failure-note.tsx'
import { useSubmit } from '../use-submit.ts'

interface OrganisationButtonProps {
  /** The name of the organisation's sign-in. */
  readonly label: string
  readonly start: OpenIdStart
}

/** Starts the organisation's sign-in. */
export function OrganisationButton({ label, start }: OrganisationButtonProps): VNode {
  const { busy, failure, submit } = useSubmit(() => leaveForOrganisation(start))
  return (
    <form onSubmit={submit}>
      {failure.value ? <FailureNote failure={failure.value} /> : null}
      <Button size={start.link ? 'normal' : 'wide'} busy={busy.value}>
        {busy.value ? t`One moment…` : start.link ? t`Link ${label}` : t`Continue with ${label}`}
      </Button>
    </form>
  )
}
