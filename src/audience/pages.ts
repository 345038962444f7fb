/** Pages for respondents: without script, in the language of the study or English. They never reveal what the gate saw. */
import { createHash } from 'node:crypto';

export const pageNames = [
  'full',
  'closed',
  'declined',
  'elsewhere',
  'done',
  'thanks',
  'expired',
  'broken',
  'later',
] as const;
export type PageName = (typeof pageNames)[number];

type Words = Readonly<Record<PageName, readonly [title: string, text: string]>>;

const words: Readonly<Record<string, Words>> = {
  en: {
    full: ['This study is full', 'Enough people have taken part already. Thank you for your interest.'],
    closed: ['This study is not open', 'It takes no participants at the moment. Thank you for your interest.'],
    declined: ['This study is not for you', 'You do not qualify for this study. Thank you for your interest.'],
    elsewhere: [
      'You have started already',
      'Continue in the browser in which you started. There you can open the study again.',
    ],
    done: ['You have taken part already', 'Each person takes part once. Thank you for your answers.'],
    thanks: ['Thank you', 'Your visit is recorded. You can close this page.'],
    expired: ['This link does not work any more', 'Go back to the invitation and open the study from there.'],
    broken: ['This link is not complete', 'Go back to the invitation and open the study from there.'],
    later: ['Please try again', 'The study cannot be opened right now. Wait a minute and open it again.'],
  },
  de: {
    full: ['Diese Studie ist voll', 'Es haben bereits genug Personen teilgenommen. Vielen Dank für Ihr Interesse.'],
    closed: ['Diese Studie ist nicht geöffnet', 'Zurzeit ist keine Teilnahme möglich. Vielen Dank für Ihr Interesse.'],
    declined: [
      'Diese Studie passt nicht',
      'Sie kommen für diese Studie nicht in Frage. Vielen Dank für Ihr Interesse.',
    ],
    elsewhere: [
      'Sie haben schon angefangen',
      'Machen Sie in dem Browser weiter, in dem Sie angefangen haben. Dort können Sie die Studie wieder öffnen.',
    ],
    done: ['Sie haben schon teilgenommen', 'Jede Person nimmt einmal teil. Vielen Dank für Ihre Antworten.'],
    thanks: ['Vielen Dank', 'Ihr Besuch ist vermerkt. Sie können diese Seite schließen.'],
    expired: ['Dieser Link gilt nicht mehr', 'Gehen Sie zur Einladung zurück und öffnen Sie die Studie von dort.'],
    broken: ['Dieser Link ist unvollständig', 'Gehen Sie zur Einladung zurück und öffnen Sie die Studie von dort.'],
    later: ['Bitte versuchen Sie es noch einmal', 'Die Studie lässt sich gerade nicht öffnen. Warten Sie eine Minute.'],
  },
  fr: {
    full: ['Cette étude est complète', 'Assez de personnes ont déjà participé. Merci de votre intérêt.'],
    closed: [
      'Cette étude n’est pas ouverte',
      'Elle n’accepte pas de participants en ce moment. Merci de votre intérêt.',
    ],
    declined: ['Cette étude ne vous concerne pas', 'Vous ne correspondez pas à cette étude. Merci de votre intérêt.'],
    elsewhere: [
      'Vous avez déjà commencé',
      'Continuez dans le navigateur où vous avez commencé. Vous pouvez y rouvrir l’étude.',
    ],
    done: ['Vous avez déjà participé', 'Chaque personne participe une seule fois. Merci de vos réponses.'],
    thanks: ['Merci', 'Votre visite est enregistrée. Vous pouvez fermer cette page.'],
    expired: ['Ce lien n’est plus valable', 'Revenez à l’invitation et ouvrez l’étude à partir de là.'],
    broken: ['Ce lien est incomplet', 'Revenez à l’invitation et ouvrez l’étude à partir de là.'],
    later: ['Veuillez réessayer', 'L’étude ne peut pas être ouverte pour l’instant. Attendez une minute.'],
  },
  es: {
    full: ['Este estudio está completo', 'Ya ha participado un número suficiente de personas. Gracias por su interés.'],
    closed: ['Este estudio no está abierto', 'No admite participantes en este momento. Gracias por su interés.'],
    declined: ['Este estudio no es para usted', 'No cumple los requisitos de este estudio. Gracias por su interés.'],
    elsewhere: ['Ya ha empezado', 'Continúe en el navegador en el que empezó. Allí puede volver a abrir el estudio.'],
    done: ['Ya ha participado', 'Cada persona participa una vez. Gracias por sus respuestas.'],
    thanks: ['Gracias', 'Su visita ha quedado registrada. Puede cerrar esta página.'],
    expired: ['Este enlace ya no es válido', 'Vuelva a la invitación y abra el estudio desde allí.'],
    broken: ['Este enlace está incompleto', 'Vuelva a la invitación y abra el estudio desde allí.'],
    later: ['Inténtelo de nuevo', 'El estudio no se puede abrir en este momento. Espere un minuto.'],
  },
};

const style =
  'body{font:1.125rem/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto 0;padding:0 1.25rem;color:#1b1f24;background:#fff}h1{font-size:1.5rem;line-height:1.25}';

export const pageHeaders = {
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'content-type': 'text/html; charset=utf-8',
  'x-robots-tag': 'noindex',
} as const;

/** The HTTP status of a page: what a person did right is no error. */
export const pageStatus: Readonly<Record<PageName, number>> = {
  ...{ full: 200, closed: 200, declined: 200, elsewhere: 200, done: 200, thanks: 200 },
  ...{ expired: 400, broken: 400, later: 503 },
};

export function renderPage(page: PageName, language: string): string {
  const spoken = language.split('-')[0] ?? 'en';
  const lang = Object.hasOwn(words, spoken) ? spoken : 'en';
  const [title, text] = (words[lang] ?? words['en'])?.[page] ?? ['', ''];
  return `<!doctype html>
<html lang="${lang}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${style}</style></head>
<body><main><h1>${title}</h1><p>${text}</p></main></body>
</html>
`;
}
