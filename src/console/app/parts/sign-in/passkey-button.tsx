import type { VNode } from 'preact'
import { t } from '../../language/t.ts'
import { admit } from '../../state/session.ts'
import { Button } from '../button.tsx'
import { FailureNote } from '../failure-note.tsx'
import { useSubmit } from '../use-submit.ts'
import { signInWithPasskey } from './use-passkey.ts'

/** Signs in with a passkey. */
export function PasskeyButton(): VNode {
  const { busy, failure, submit } = useSubmit(async () => admit((await signInWithPasskey()).account))
  return (
    <form onSubmit={submit}>
      {failure.value ? <FailureNote failure={failure.value} /> : null}
      <Button size="wide" busy={busy.value}>
        {busy.value ? t`One moment…` : t`Sign in with a passkey`}
      </Button>
    </form>
  )
}
