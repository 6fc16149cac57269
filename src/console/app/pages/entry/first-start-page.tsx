import type { VNode } from 'preact'
import type { SignInWays } from '../../../contract/session.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { OrganisationButton } from '../../parts/sign-in/organisation-button.tsx'
import { command, loadSession } from '../../state/session.ts'
import { EntryFrame } from './entry-frame.tsx'
import { pageToReturnTo } from './page-to-return-to.ts'

/** Shown until the first-run link was opened. */
export function FirstStartPage({ ways }: { ways: SignInWays }): VNode {
  return (
    <EntryFrame title={t`Almost there`} intro={t`Sepia is running but has no owner yet.`}>
      {ways.organisation === null ? null : <OrganisationButton label={ways.organisation} start={pageToReturnTo()} />}
      <ol class="stack">
        <li>{t.rich`Look in the terminal or log where you started it, for a line that begins with ${<code>Open the console:</code>}`}</li>
        <li>{t`Open the link in that line. It works once, and makes you the owner.`}</li>
        <li>{t`Enter your e-mail address and choose a password there. You can then invite others.`}</li>
      </ol>
      <p class="soft">
        {t`No such line, or the link was used? Restart the service: it prints a new link at each start until it has an owner.`}{' '}
        {t.rich`Or run ${<code>{command} account list</code>}, then ${<code>{command} account link</code>} with the id it shows.`}
      </p>
      <p>
        <Button onClick={loadSession}>{t`I’ve opened the link`}</Button>
      </p>
      <p class="faint">{t.rich`To call Sepia from a program, see the ${<a href="/docs/api">{t`API reference`}</a>}.`}</p>
    </EntryFrame>
  )
}
