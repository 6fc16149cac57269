import type { Catalogue } from '../../language/catalogue.ts'

/** German of these pages; `language/german.ts` has the words to use. */
export const german: Catalogue = {
  member: 'Mitglied',
  owner: 'Inhaber',
  'A new member': 'Ein neues Mitglied',
  'A new owner': 'Ein neuer Inhaber',
  'A sign-in link for {0}': 'Anmeldelink für {0}',
  Accounts: 'Konten',
  'Copy the link': 'Link kopieren',
  For: 'Für',
  'for {0}': 'für {0}',
  Invite: 'Einladen',
  'Invite somebody': 'Jemanden einladen',
  Lock: 'Sperren',
  'Lock {0}?': '{0} sperren?',
  'Made by': 'Erstellt von',
  'Make a member': 'Zum Mitglied machen',
  'Make an owner': 'Zum Inhaber machen',
  'Make member': 'Zum Mitglied machen',
  'Make owner': 'Zum Inhaber machen',
  'Make the link': 'Link erstellen',
  'Make {0} a member?': '{0} zum Mitglied machen?',
  'Make {0} an owner?': '{0} zum Inhaber machen?',
  Member: 'Mitglied',
  'Members use the models, make tokens and see only their own requests.':
    'Mitglieder benutzen die Modelle, erstellen Token und sehen nur ihre eigenen Anfragen.',
  'Open invitations': 'Offene Einladungen',
  Owner: 'Inhaber',
  'Owners invite and lock people, load models and see everybody’s usage.':
    'Inhaber laden ein und sperren, laden Modelle und sehen die Nutzung aller.',
  'Owners invite people and see every account. Members see only their own things.':
    'Inhaber laden Personen ein und sehen alle Konten. Mitglieder sehen nur ihr Eigenes.',
  Reset: 'Zurücksetzen',
  'Reset second factor': 'Zweiten Faktor zurücksetzen',
  'Reset the second factor of {0}?': 'Zweiten Faktor von {0} zurücksetzen?',
  Role: 'Rolle',
  'Send this link to one person. It works once, for three days, and is not shown again.':
    'Diesen Link an eine Person senden. Er gilt einmal, drei Tage lang, und wird nicht wieder angezeigt.',
  'Sign-in link': 'Anmeldelink',
  Since: 'Seit',
  'the first start': 'der erste Start',
  'The password is enough then, until {0} sets a new one. Make sure that it is {1} who asks.':
    'Dann genügt das Passwort, bis {0} einen neuen einrichtet. Bitte sicherstellen, dass wirklich {1} darum bittet.',
  Unlock: 'Entsperren',
  'Where a box is empty the service’s own limit holds, or none.': 'Wo ein Feld leer ist, gilt die Grenze des Dienstes oder keine.',
  'With this link they choose a new e-mail and password. The old ones work until then; tokens stay as they are.':
    'Mit diesem Link werden E-Mail und Passwort neu gewählt. Bis dahin gelten die alten; Token bleiben, wie sie sind.',
  Withdraw: 'Zurückziehen',
  you: 'Sie',
  '{0} has no second factor now.': '{0} hat jetzt keinen zweiten Faktor.',
  '{0} is a member now.': '{0} ist jetzt Mitglied.',
  '{0} is an owner now.': '{0} ist jetzt Inhaber.',
  '{0} is locked.': '{0} ist gesperrt.',
  '{0} is signed out everywhere, and tokens and open links stop working. Nothing is deleted; unlocking lets the tokens work again.':
    '{0} wird überall abgemeldet; Token und offene Links gelten nicht mehr. Nichts wird gelöscht; nach dem Entsperren gelten die Token wieder.',
  '{0} will invite and lock people, you too, load models and see everybody’s usage.':
    '{0} kann dann einladen und sperren, auch Sie, Modelle laden und die Nutzung aller sehen.',
  '{0} will see only their own things. Invitations they made end.':
    '{0} sieht dann nur noch das Eigene. Selbst erstellte Einladungen enden.',
  '{0}, a new sign-in': '{0}, neue Anmeldung',
}
