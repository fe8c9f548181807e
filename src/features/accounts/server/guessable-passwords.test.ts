import { hash } from 'node:crypto'
import { dictionary } from '@zxcvbn-ts/language-common'
import { expect, test } from 'vitest'
import { PASSWORD_MIN } from '../accounts.rules.ts'
import { FIRST_NAMES, FIRST_WORDS } from './first-words.ts'
import { guessableBecause, isCommonPassword } from './guessable-passwords.ts'

test('the list has thousands of words that the length allows', () => {
  const words = dictionary['passwords-common'].filter((word) => word.length >= PASSWORD_MIN)
  expect(words.length).toBeGreaterThan(10_000)
  expect(words.filter((word) => word !== word.toLowerCase())).toEqual([])
})

test('its own words are written as they are compared', () => {
  expect([...FIRST_WORDS, ...FIRST_NAMES].filter((word) => !/^[a-z]{2,}$/.test(word))).toEqual([])
})

const KINDS: Record<string, string> = {
  'passwords of leaks':
    'password PassWord 12345678 Password1! P@ssw0rd Sunshine#7 Dragon2024! Shadow99! Hunter!2023',
  repetitions: '11111111 12341234 AbcAbcAbc aaaaBBBB1 ------------',
  'French first words':
    'Soleil123! Bonjour2024 Bonjour2024! Motdepasse1! Doudou2023 Été-2024!! Printemps2025! Chouchou75! Marseille13! 50leil2024 So1eil123 Liberté1789! Fromage-12 Camembert1! Vacances2026! LeSoleil12! MonAmour1! Jetaime69!',
  'Dutch first words':
    'Welkom01! Welkom2024 Wachtwoord1! Wachtwoord2026! W@chtw00rd1! Geheim123 Geheim!2024 Zomer2025! Ajax1900! Feyenoord1908 Amsterdam020! ZonnetjeSchatje1! Schatje123 Mijnhond-2024 Stroopwafel1! Liefde2024!',
  'German first words':
    'Willkommen1! Passwort1! !Sommer26 Sommer2024! Schatzi2023! Geheimnis1! Fussball11! Ichliebedich1 Bayern1900! Frühling2025',
  'English first words': 'Welcome123! Liverpool1892 Football2024! Iloveyou-22 Letmein2024! Changeme123!',
  'first names': [
    'Julie2005! Camille1998 Nicolas75! Thomas-2024 Jeroen1985! Sander123! Lieve1960! Jean-Pierre1952 Françoise49 Hélène1971!',
    'Jürgen1966! Wolfgang-62 Sophie2010# MarieJulie1! 1986Martin! Ch@rlotte12 I-love-Louise1 Mohamed2001!',
  ].join(' '),
  'words from the end': 'lielos2024! moklew123 drowssap1',
  'digits inside': 'Bon2024jour! Wel-kom-2024 S.o.l.e.i.l1',
  'rows of keys':
    'azerty123 Azerty123! Azertyuiop1 qsdfghjk Qwertz123! Qwertzuiop! yxcvbnm,1 Wxcvbn2024! Azerqsdf12! qwe-ASD-2024 1aqw2zsx Aqwzsx12! 1qaz2WSX a1z2e3r4 poiuytreza lkjhgfdsq &é"\'(-è_ !@#$%^&* !"§$%&/( abcdefgh Abcdefg1! 87654321',
  'dates and phones': '14071989 14-07-1989 01/01/1990! 20240101 0612345678 +32471234567 06.12.34.56.78',
}

test.each(Object.entries(KINDS))('%s are common', (_, list) => {
  expect(list.split(' ').filter((password) => !isCommonPassword(password))).toEqual([])
})

test('a passphrase, a mixed password and one of a generator are not', () => {
  const good = [
    'Azerty-vlinderboom-9!',
    'Soleil839104725!',
    'Correct1!',
    'correct horse battery',
    'Tulipes-de-mai7!',
    '',
    // As the specification's rules and the tests of this shop have them.
    'Chosen-1!',
    'Another-2!',
    'Another2@',
    'Thiefs-1!',
    'Str0ng!pass',
    'Correct-horse-1!',
    'Another!Horse7',
    'Not-a-secret1!',
    'tulipe9x',
    'long enough!',
    'an earlier password',
    'Zoë’s Ångström',
    'de kat van mijn buurvrouw snurkt',
    'trois lapins mangent du fromage',
    'chat-lapin-cheval-maison',
    'der Zug nach Bremen kam zu spät',
    'Ik fiets elke dag naar Gent!',
    'le soleil se lève sur Lyon',
    'Kx7#pQ9!',
    'vR2-mT8-zL4',
    'qL9$wE3@',
    '8f3a1c9e',
    'hT5!kR2?',
    '9842-7736-1150-4421',
    'Zp4Hn8Wq',
    'bodvar-kimeta',
    'Sonnenblume-tikt-8',
    'Pamplemousse+cactus',
    'Kaasfondue?donderwolk',
    'onze hond heet Fikkie',
  ]
  expect(good.filter((password) => isCommonPassword(password))).toEqual([])
  const random = Array.from({ length: 2_000 }, (_, at) => hash('sha256', `${at}`, 'base64url').slice(0, 12))
  expect(random.filter((password) => isCommonPassword(password))).toEqual([])
})

test('words of the shop are too easy to guess, also joined and with digits and signs', () => {
  for (const word of ['Volant2026!', 'concours', 'TicketMustang#1', 'bmw-12345'])
    expect([word, guessableBecause(word)]).toEqual([word, 'formErrors.password.common'])
  for (const word of ['volantes-hortensia', 'my ticket to the moon', 'carsten-7-elms'])
    expect([word, guessableBecause(word)]).toEqual([word, undefined])
})
