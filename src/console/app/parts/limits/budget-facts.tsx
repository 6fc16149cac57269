import type { VNode } from 'preact'
import { type Budget, leftOf } from '../../../../core/limits/budget.ts'
import { formatMoney } from '../../../../core/limits/model-price.ts'

const whole = new Intl.NumberFormat()
const units = { tokens: 'Tokens', images: 'Images', money: 'Money', requests: 'Requests' } as const
const periods = { moment: 'at once', minute: 'this minute', day: 'today', month: 'this month' } as const

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
            {writeAmount(budget, leftOf(budget))} <span>of {writeAmount(budget, budget.limit)}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** What is left of budgets in small lines: `20 of 100 tokens left today`. */
export function budgetLines(budgets: readonly Budget[]): readonly string[] {
  return budgets.map((budget) => {
    const amounts = `${writeAmount(budget, leftOf(budget))} of ${writeAmount(budget, budget.limit)}`
    return `${amounts} ${units[budget.unit].toLowerCase()} left ${periods[budget.per]}`
  })
}

function writeAmount({ unit }: Budget, value: number): string {
  return unit === 'money' ? formatMoney(value) : whole.format(value)
}
