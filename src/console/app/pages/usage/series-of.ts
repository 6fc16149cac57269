import type { Account } from '../../../../core/account.ts'
import { t } from '../../language/t.ts'
import { colourCount, colourOf } from '../../state/model-colours.ts'
import type { SeriesOf } from './usage-series.ts'

/** How usage is told apart: by model in the models' own colours, or by person. `accounts` null = all of it is one's own. */
export function bySeries(group: 'model' | 'person', accounts: readonly Pick<Account, 'id' | 'name'>[] | null): SeriesOf {
  const person = accounts && ((id: string) => accounts.find((account) => account.id === id)?.name ?? t`somebody who is gone`)
  if (group === 'model' || accounts === null || person === null)
    return { key: ({ model }) => model, name: (model) => model, shade: colourOf, person }
  const places = accounts.map(({ id }) => id).toSorted()
  return { key: ({ accountId }) => accountId, name: person, shade: (id) => (places.indexOf(id) + colourCount) % colourCount, person }
}
