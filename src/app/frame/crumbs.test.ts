import { expect, test } from 'vitest'
import { crumbsOf } from './crumbs.ts'

test('home has no parts', () => {
  expect(crumbsOf('/')).toEqual([])
})

test('a page of the menu has its title [spec 2.130]', () => {
  expect(crumbsOf('/offers')).toMatchObject([{ path: '/offers', label: 'frame.menu.offers', isPage: true }])
})

test('any other segment is decoded and capitalised [spec 2.131]', () => {
  const [, offer] = crumbsOf('/offers/%C3%A9lan-gt')
  expect(offer).toMatchObject({ text: 'Élan-gt', isPage: false })
  expect(offer).not.toHaveProperty('label')
})

test('a group of the menu is named but not linked', () => {
  expect(crumbsOf('/profile/participations').map((crumb) => [crumb.label, crumb.isPage])).toEqual([
    ['frame.menu.profile', false],
    ['frame.menu.participations', true],
  ])
})

test('a page outside the menu has its own title', () => {
  expect(crumbsOf('/policies/accessibility').at(-1)?.label).toBe('frame.menu.accessibility')
})

test('a mail is called one, not by its id', () => {
  expect(crumbsOf('/demo/mailbox/01a1ff22-67ca').map((crumb) => crumb.label)).toEqual([
    undefined,
    'mailbox.title',
    'mailbox.mail',
  ])
})

test('a damaged segment is shown as it is', () => {
  expect(crumbsOf('/%E0%A4%A')[0]?.text).toBe('%E0%A4%A')
})
