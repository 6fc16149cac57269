import type { Catalogue } from '../../language/catalogue.ts'

/** German of these pages; `language/german.ts` has the words to use. */
export const german: Catalogue = {
  'A new secret signs at once. The present one signs along for 24 hours: give the new one to every receiver by then. A secret that is older still ends now.':
    'Ein neues Geheimnis signiert sofort. Das jetzige signiert 24 Stunden lang mit: Bis dahin muss jeder Empfänger das neue haben. Ein noch älteres endet jetzt.',
  'A new secret signs from now on.': 'Ab jetzt signiert ein neues Geheimnis.',
  'An asynchronous request that names a receiver has its end announced there.':
    'Nennt eine asynchrone Anfrage einen Empfänger, wird ihm ihr Ende gemeldet.',
  Attempts: 'Versuche',
  Current: 'Jetziges',
  delivered: 'zugestellt',
  Deliveries: 'Zustellungen',
  'Every delivery is signed with it, as {0} say. Give it to the receiver, which can then tell a delivery of this service from a forged one.':
    'Jede Zustellung ist damit signiert, wie {0} es beschreibt. Der Empfänger braucht es, um echte Zustellungen dieses Dienstes von gefälschten zu unterscheiden.',
  'given up': 'aufgegeben',
  Hide: 'Verbergen',
  'Last result': 'Letztes Ergebnis',
  'Next attempt': 'Nächster Versuch',
  'No deliveries yet': 'Noch keine Zustellungen',
  Receiver: 'Empfänger',
  'Request {0}': 'Anfrage {0}',
  Rotate: 'Erneuern',
  'Rotate the secret': 'Geheimnis erneuern',
  'Rotate the secret?': 'Geheimnis erneuern?',
  'Send an asynchronous request with the header {0} and the https address of your receiver.':
    'Eine asynchrone Anfrage mit dem Header {0} und der https-Adresse des Empfängers senden.',
  'Signing secret': 'Signaturgeheimnis',
  'The one before; signs along for a day': 'Das vorige; signiert einen Tag lang mit',
  'the secret': '– das Geheimnis',
  'within a minute': 'binnen einer Minute',
}
