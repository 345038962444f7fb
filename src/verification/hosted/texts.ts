/**
 * What the hosted page says, in the languages of the widget. A page is written in one language; which one is decided from `?lang` or the
 * browser’s Accept-Language, English where neither names one that is here.
 */
export const languages = ['en', 'de', 'fr', 'es', 'pt', 'ar', 'ja'] as const;
export type Language = (typeof languages)[number];

const english = {
  title: 'A short check before you go on',
  intro: 'It shows that a real person takes part, and usually takes less than a minute.',
  needsScript: 'This page needs JavaScript. Please switch it on and load the page again.',
  troubleTitle: 'That did not work',
  trouble: 'The check could not be finished. Please look at your connection and try again.',
  cameraTitle: 'The camera could not be used',
  camera: 'Allow the camera for this page in your browser, close other programs that use it, and try again.',
  retry: 'Try again',
  leave: 'Go back without the check',
  doneTitle: 'Thank you',
  done: 'You are done here and can close this page.',
  unconfirmed:
    'The check is finished, but could not be confirmed. Please ask whoever sent you the link what to do next.',
  expired: 'This link has expired',
  usedUp: 'This link has already been used',
  gone: 'This link does not exist any more',
  askAgain: 'Please ask whoever sent it to you for a new one.',
  back: 'Go back',
  privacy: 'Privacy',
  contact: 'Contact',
  service: 'Checked by VerifyHuman',
};

export type Texts = Readonly<Record<keyof typeof english, string>>;

export const texts: Readonly<Record<Language, Texts>> = {
  en: english,
  de: {
    title: 'Eine kurze Prüfung, bevor es weitergeht',
    intro: 'Sie zeigt, dass ein echter Mensch teilnimmt, und dauert meist weniger als eine Minute.',
    needsScript: 'Diese Seite braucht JavaScript. Bitte schalten Sie es ein und laden Sie die Seite neu.',
    troubleTitle: 'Das hat nicht geklappt',
    trouble:
      'Die Prüfung konnte nicht beendet werden. Bitte prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.',
    cameraTitle: 'Die Kamera konnte nicht benutzt werden',
    camera:
      'Erlauben Sie dieser Seite die Kamera in Ihrem Browser, schließen Sie andere Programme, die sie benutzen, und versuchen Sie es noch einmal.',
    retry: 'Noch einmal versuchen',
    leave: 'Ohne Prüfung zurück',
    doneTitle: 'Vielen Dank',
    done: 'Sie sind hier fertig und können die Seite schließen.',
    unconfirmed:
      'Die Prüfung ist beendet, konnte aber nicht bestätigt werden. Bitte fragen Sie bei der Stelle nach, die Ihnen den Link geschickt hat.',
    expired: 'Dieser Link ist abgelaufen',
    usedUp: 'Dieser Link wurde schon benutzt',
    gone: 'Diesen Link gibt es nicht mehr',
    askAgain: 'Bitte fragen Sie dort nach einem neuen, wo Sie ihn bekommen haben.',
    back: 'Zurück',
    privacy: 'Datenschutz',
    contact: 'Kontakt',
    service: 'Geprüft mit VerifyHuman',
  },
  fr: {
    title: 'Une courte vérification avant de continuer',
    intro: 'Elle montre qu’une vraie personne participe et prend en général moins d’une minute.',
    needsScript: 'Cette page a besoin de JavaScript. Activez-le, puis rechargez la page.',
    troubleTitle: 'Cela n’a pas fonctionné',
    trouble: 'La vérification n’a pas pu aboutir. Vérifiez votre connexion et réessayez.',
    cameraTitle: 'La caméra n’a pas pu être utilisée',
    camera:
      'Autorisez la caméra pour cette page dans votre navigateur, fermez les autres programmes qui l’utilisent et réessayez.',
    retry: 'Réessayer',
    leave: 'Revenir sans vérification',
    doneTitle: 'Merci',
    done: 'C’est terminé. Vous pouvez fermer cette page.',
    unconfirmed:
      'La vérification est terminée, mais n’a pas pu être confirmée. Demandez la suite à la personne qui vous a envoyé le lien.',
    expired: 'Ce lien a expiré',
    usedUp: 'Ce lien a déjà été utilisé',
    gone: 'Ce lien n’existe plus',
    askAgain: 'Demandez-en un nouveau à la personne qui vous l’a envoyé.',
    back: 'Retour',
    privacy: 'Confidentialité',
    contact: 'Contact',
    service: 'Vérifié avec VerifyHuman',
  },
  es: {
    title: 'Una breve comprobación antes de continuar',
    intro: 'Muestra que participa una persona real y suele durar menos de un minuto.',
    needsScript: 'Esta página necesita JavaScript. Actívelo y vuelva a cargar la página.',
    troubleTitle: 'No ha funcionado',
    trouble: 'No se pudo terminar la comprobación. Revise su conexión e inténtelo de nuevo.',
    cameraTitle: 'No se pudo usar la cámara',
    camera:
      'Permita la cámara para esta página en su navegador, cierre otros programas que la usen e inténtelo de nuevo.',
    retry: 'Intentar de nuevo',
    leave: 'Volver sin la comprobación',
    doneTitle: 'Gracias',
    done: 'Ha terminado y puede cerrar esta página.',
    unconfirmed:
      'La comprobación ha terminado, pero no se pudo confirmar. Pregunte a quien le envió el enlace cómo seguir.',
    expired: 'Este enlace ha caducado',
    usedUp: 'Este enlace ya se ha utilizado',
    gone: 'Este enlace ya no existe',
    askAgain: 'Pida uno nuevo a quien se lo envió.',
    back: 'Volver',
    privacy: 'Privacidad',
    contact: 'Contacto',
    service: 'Comprobado con VerifyHuman',
  },
  pt: {
    title: 'Uma breve verificação antes de continuar',
    intro: 'Ela mostra que participa uma pessoa real e costuma durar menos de um minuto.',
    needsScript: 'Esta página precisa de JavaScript. Ative-o e carregue a página de novo.',
    troubleTitle: 'Não funcionou',
    trouble: 'Não foi possível terminar a verificação. Confira a sua ligação e tente de novo.',
    cameraTitle: 'Não foi possível usar a câmara',
    camera: 'Permita a câmara para esta página no seu navegador, feche outros programas que a usem e tente de novo.',
    retry: 'Tentar de novo',
    leave: 'Voltar sem a verificação',
    doneTitle: 'Obrigado',
    done: 'Está tudo pronto. Pode fechar esta página.',
    unconfirmed:
      'A verificação terminou, mas não foi possível confirmá-la. Pergunte a quem lhe enviou o link como continuar.',
    expired: 'Este link expirou',
    usedUp: 'Este link já foi usado',
    gone: 'Este link já não existe',
    askAgain: 'Peça um novo a quem lho enviou.',
    back: 'Voltar',
    privacy: 'Privacidade',
    contact: 'Contacto',
    service: 'Verificado com VerifyHuman',
  },
  ar: {
    title: 'تحقق قصير قبل المتابعة',
    intro: 'يُظهر أن المشارك شخص حقيقي، ويستغرق عادةً أقل من دقيقة.',
    needsScript: 'تحتاج هذه الصفحة إلى JavaScript. يرجى تفعيله ثم إعادة تحميل الصفحة.',
    troubleTitle: 'لم ينجح ذلك',
    trouble: 'تعذّر إكمال التحقق. يرجى التأكد من الاتصال ثم المحاولة مرة أخرى.',
    cameraTitle: 'تعذّر استخدام الكاميرا',
    camera: 'اسمح لهذه الصفحة باستخدام الكاميرا في متصفحك، وأغلق البرامج الأخرى التي تستخدمها، ثم حاول مرة أخرى.',
    retry: 'حاول مرة أخرى',
    leave: 'العودة دون التحقق',
    doneTitle: 'شكرًا لك',
    done: 'انتهيت هنا ويمكنك إغلاق هذه الصفحة.',
    unconfirmed: 'انتهى التحقق لكن تعذّر تأكيده. يرجى سؤال من أرسل إليك الرابط عن الخطوة التالية.',
    expired: 'انتهت صلاحية هذا الرابط',
    usedUp: 'سبق استخدام هذا الرابط',
    gone: 'لم يعد هذا الرابط موجودًا',
    askAgain: 'يرجى طلب رابط جديد ممن أرسله إليك.',
    back: 'العودة',
    privacy: 'الخصوصية',
    contact: 'اتصل بنا',
    service: 'تم التحقق عبر VerifyHuman',
  },
  ja: {
    title: '続ける前に簡単な確認をお願いします',
    intro: '実在の方が参加していることを確かめるもので、通常は1分もかかりません。',
    needsScript: 'このページにはJavaScriptが必要です。有効にしてから、もう一度読み込んでください。',
    troubleTitle: 'うまくいきませんでした',
    trouble: '確認を完了できませんでした。接続を確かめて、もう一度お試しください。',
    cameraTitle: 'カメラを使用できませんでした',
    camera:
      'ブラウザーでこのページにカメラの使用を許可し、カメラを使っている他のアプリを閉じてから、もう一度お試しください。',
    retry: 'もう一度試す',
    leave: '確認せずに戻る',
    doneTitle: 'ありがとうございました',
    done: 'これで終わりです。このページを閉じてください。',
    unconfirmed: '確認は終わりましたが、結果を確定できませんでした。リンクを送った方に、次の手順をお尋ねください。',
    expired: 'このリンクは期限が切れています',
    usedUp: 'このリンクはすでに使用されています',
    gone: 'このリンクはもうありません',
    askAgain: 'リンクを送った方に、新しいリンクをお求めください。',
    back: '戻る',
    privacy: 'プライバシー',
    contact: 'お問い合わせ',
    service: 'VerifyHumanによる確認',
  },
};

const isLanguage = (text: string): text is Language => (languages as readonly string[]).includes(text);
const languageOf = (tag: string): string => tag.trim().toLowerCase().split('-', 1)[0] ?? '';

/** The language of a page: the one asked for, else the best of Accept-Language. */
export function chooseLanguage(asked: string | undefined, acceptLanguage: string | undefined): Language {
  const wanted = languageOf(asked ?? '');
  if (isLanguage(wanted)) return wanted;
  const accepted = (acceptLanguage ?? '')
    .slice(0, 512)
    .split(',')
    .map((entry) => {
      const [tag = '', ...parameters] = entry.split(';');
      const quality = parameters.map((text) => /^\s*q=([\d.]+)\s*$/.exec(text)?.[1]).find((text) => text !== undefined);
      return { language: languageOf(tag), quality: quality === undefined ? 1 : Number(quality) };
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality);
  return accepted.map(({ language }) => language).find(isLanguage) ?? 'en';
}

/** Of the element html. */
export const directionOf = (language: Language): 'ltr' | 'rtl' => (language === 'ar' ? 'rtl' : 'ltr');
