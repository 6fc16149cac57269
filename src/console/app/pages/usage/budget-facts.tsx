import type { VNode } from 'preact'
import { type Budget, leftOf } from '../../../../core/budget.ts'

const whole = new Intl.NumberFormat()
const units = { tokens: 'Tokens', images: 'Images' } as const
const periods = { day: 'today', month: 'this month' } as const

/** What is left of one's own limits; nothing where there are none. */
export function BudgetFacts({ budgets }: { budgets: readonly Budget[] }): VNode | null {
  if (budgets.length === 0) return null
  return (
    <dl class="sheet facts large">
      {budgets.map((budget) => (
        <div key={`${budget.unit} ${budget.per}`}>
          <dt>
            {units[budget.unit]} left {periods[budget.per]}
          </dt>
          <dd>
            {whole.format(leftOf(budget))} of {whole.format(budget.limit)}
          </dd>
        </div>
      ))}
    </dl>
  )
}
