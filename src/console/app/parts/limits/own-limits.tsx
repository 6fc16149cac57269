import type { VNode } from 'preact'
import type { OwnLimits as Answer } from '../../../contract/account.ts'
import { request } from '../../interface/request.ts'
import { listText } from '../../language/formats.ts'
import { t } from '../../language/t.ts'
import { useResource } from '../../state/resource.ts'
import { Loaded } from '../loaded.tsx'
import { BudgetFacts } from './budget-facts.tsx'
import { limitLines } from './limit-texts.ts'

/** The user's limits, and what is left of them. */
export function OwnLimits(): VNode {
  const { resource, reload } = useResource((signal) => request<Answer>('/console/api/account/limits', { signal }), [])
  return (
    <section class="stack" aria-labelledby="own-limits">
      <h2 id="own-limits">{t`Limits`}</h2>
      <Loaded resource={resource} retry={reload}>
        {({ limits, budgets }) => {
          const lines = limitLines(limits)
          if (lines.length === 0) return <p class="soft">{t`Your account has no limits of its own.`}</p>
          return (
            <>
              <p class="soft">{t`Your limit: ${listText(lines)}.`}</p>
              <BudgetFacts budgets={budgets} />
            </>
          )
        }}
      </Loaded>
    </section>
  )
}
