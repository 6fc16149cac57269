import type { ConsoleModel } from '../../../contract/models.ts'
import { t } from '../../language/t.ts'

/** A text about a model that is loading, with the progress, or whose server is unavailable; null when it is ready. */
export function loadingText({ name, state, away }: Pick<ConsoleModel, 'name' | 'state' | 'away'>): string | null {
  if (away) return t`The server of ${name} isn’t responding; waiting for it.`
  switch (state.state) {
    case 'unloaded':
      return t`Loading ${name}…`
    case 'loading':
      return state.loadProgress === undefined ? t`Loading ${name}…` : t`Loading ${name}: ${Math.floor(state.loadProgress * 100)} %`
    case 'backing-off':
      return t`${name} stopped and is restarting.`
    case 'loaded':
      return null
  }
}

const words = {
  unloaded: t`not loaded`,
  loading: t`loading`,
  loaded: t`loaded`,
  'backing-off': t`crashed, waiting`,
} as const satisfies Record<ConsoleModel['state']['state'], string>

/** The state of a model, with the loading progress if its engine reports it. */
export function stateText({ state, loadProgress }: Pick<ConsoleModel['state'], 'state' | 'loadProgress'>): string {
  return loadProgress === undefined ? words[state] : `${words[state]} ${Math.floor(loadProgress * 100)} %`
}
