/** The texts of a study’s pages in the languages of the widget. They never reveal the reasons of the gate. */
import type { Language } from '../administration/pages/languages.js';

export const pageNames = [
  ...(['checking', 'unchecked', 'full', 'closed', 'declined', 'elsewhere', 'reopen', 'done', 'thanks'] as const),
  ...(['expired', 'erased', 'broken', 'later'] as const),
] as const;
export type PageName = (typeof pageNames)[number];

type PageTexts = Readonly<Record<PageName, readonly [title: string, text: string]>>;

export const pageTexts: Readonly<Record<Language, PageTexts>> = {
  en: {
    checking: ['One moment…', 'We’re checking your browser. The survey opens automatically in a few seconds.'],
    unchecked: [
      'We couldn’t check your browser',
      'Turn on JavaScript and cookies, and turn off ad blockers for this page. Then open the study again.',
    ],
    full: ['This study is full', 'Enough people have already taken part. Thank you for your interest.'],
    closed: ['This study is not open', 'It isn’t accepting participants right now. Thank you for your interest.'],
    declined: ['You don’t qualify for this study', 'You can close this page. Thank you for your interest.'],
    elsewhere: ['You have already started', 'Open the study again in the browser where you started.'],
    reopen: ['Open the study again', 'Go back to your invitation and open the study from there.'],
    done: ['You have already taken part', 'Each person can take part once. Thank you for your answers.'],
    thanks: ['Thank you', 'Your response has been recorded. You can close this page.'],
    expired: ['This link has expired', 'Go back to your invitation and open the study from there.'],
    erased: ['Your data was erased', 'It was erased at your request. This link can’t be used again.'],
    broken: ['This link is not valid', 'Go back to your invitation and open the study from there.'],
    later: ['Please try again', 'We can’t open the study right now. Wait a minute, then open it again.'],
  },
  de: {
    checking: ['Einen Moment…', 'Wir prüfen Ihren Browser. Die Umfrage öffnet sich in wenigen Sekunden automatisch.'],
    unchecked: [
      'Wir konnten Ihren Browser nicht prüfen',
      'Aktivieren Sie JavaScript und Cookies und schalten Sie Werbeblocker für diese Seite aus. Öffnen Sie die Studie dann erneut.',
    ],
    full: ['Diese Studie ist voll', 'Es haben bereits genug Personen teilgenommen. Vielen Dank für Ihr Interesse.'],
    closed: ['Diese Studie ist nicht geöffnet', 'Zurzeit ist keine Teilnahme möglich. Vielen Dank für Ihr Interesse.'],
    declined: [
      'Diese Studie passt leider nicht zu Ihnen',
      'Sie können diese Seite schließen. Vielen Dank für Ihr Interesse.',
    ],
    elsewhere: ['Sie haben schon begonnen', 'Öffnen Sie die Studie in dem Browser, in dem Sie begonnen haben.'],
    reopen: ['Öffnen Sie die Studie erneut', 'Gehen Sie zurück zu Ihrer Einladung und öffnen Sie die Studie von dort.'],
    done: ['Sie haben schon teilgenommen', 'Jede Person kann einmal teilnehmen. Vielen Dank für Ihre Antworten.'],
    thanks: ['Vielen Dank', 'Ihre Teilnahme wurde gespeichert. Sie können diese Seite schließen.'],
    expired: ['Dieser Link ist abgelaufen', 'Gehen Sie zurück zu Ihrer Einladung und öffnen Sie die Studie von dort.'],
    erased: [
      'Ihre Daten wurden gelöscht',
      'Sie wurden auf Ihren Wunsch gelöscht. Dieser Link kann nicht mehr verwendet werden.',
    ],
    broken: ['Dieser Link ist ungültig', 'Gehen Sie zurück zu Ihrer Einladung und öffnen Sie die Studie von dort.'],
    later: [
      'Bitte versuchen Sie es noch einmal',
      'Die Studie lässt sich gerade nicht öffnen. Warten Sie eine Minute und öffnen Sie sie erneut.',
    ],
  },
  fr: {
    checking: [
      'Un instant…',
      'Nous vérifions votre navigateur. L’enquête s’ouvre automatiquement dans quelques secondes.',
    ],
    unchecked: [
      'Nous n’avons pas pu vérifier votre navigateur',
      'Activez JavaScript et les cookies, et désactivez les bloqueurs de publicité pour cette page. Puis rouvrez l’étude.',
    ],
    full: ['Cette étude est complète', 'Assez de personnes ont déjà participé. Merci de votre intérêt.'],
    closed: [
      'Cette étude n’est pas ouverte',
      'Il n’est pas possible de participer en ce moment. Merci de votre intérêt.',
    ],
    declined: [
      'Vous ne correspondez pas au profil recherché',
      'Vous pouvez fermer cette page. Merci de votre intérêt.',
    ],
    elsewhere: ['Vous avez déjà commencé', 'Rouvrez l’étude dans le navigateur où vous avez commencé.'],
    reopen: ['Rouvrez l’étude', 'Revenez à votre invitation et ouvrez l’étude à partir de là.'],
    done: ['Vous avez déjà participé', 'Chaque personne ne participe qu’une fois. Merci de vos réponses.'],
    thanks: ['Merci', 'Votre participation est enregistrée. Vous pouvez fermer cette page.'],
    expired: ['Ce lien a expiré', 'Revenez à votre invitation et ouvrez l’étude à partir de là.'],
    erased: [
      'Vos données ont été effacées',
      'Elles ont été effacées à votre demande. Ce lien ne peut plus être utilisé.',
    ],
    broken: ['Ce lien n’est pas valable', 'Revenez à votre invitation et ouvrez l’étude à partir de là.'],
    later: ['Veuillez réessayer', 'L’étude ne peut pas s’ouvrir pour l’instant. Attendez une minute, puis rouvrez-la.'],
  },
  es: {
    checking: [
      'Un momento…',
      'Estamos comprobando su navegador. La encuesta se abrirá automáticamente en unos segundos.',
    ],
    unchecked: [
      'No hemos podido comprobar su navegador',
      'Active JavaScript y las cookies, y desactive los bloqueadores de anuncios en esta página. Después, vuelva a abrir el estudio.',
    ],
    full: ['Este estudio está completo', 'Ya ha participado un número suficiente de personas. Gracias por su interés.'],
    closed: ['Este estudio no está abierto', 'No admite participantes en este momento. Gracias por su interés.'],
    declined: ['No cumple los requisitos de este estudio', 'Puede cerrar esta página. Gracias por su interés.'],
    elsewhere: ['Ya ha empezado', 'Vuelva a abrir el estudio en el navegador en el que empezó.'],
    reopen: ['Abra el estudio de nuevo', 'Vuelva a su invitación y abra el estudio desde allí.'],
    done: ['Ya ha participado', 'Cada persona puede participar una vez. Gracias por sus respuestas.'],
    thanks: ['Gracias', 'Su participación ha quedado registrada. Puede cerrar esta página.'],
    expired: ['Este enlace ha caducado', 'Vuelva a su invitación y abra el estudio desde allí.'],
    erased: ['Sus datos se han borrado', 'Se han borrado a petición suya. Este enlace ya no se puede usar.'],
    broken: ['Este enlace no es válido', 'Vuelva a su invitación y abra el estudio desde allí.'],
    later: ['Inténtelo de nuevo', 'No podemos abrir el estudio ahora. Espere un minuto y vuelva a abrirlo.'],
  },
  pt: {
    checking: [
      'Um momento…',
      'Estamos verificando seu navegador. A pesquisa será aberta automaticamente em alguns segundos.',
    ],
    unchecked: [
      'Não foi possível verificar seu navegador',
      'Ative o JavaScript e os cookies e desative os bloqueadores de anúncios nesta página. Depois, abra o estudo de novo.',
    ],
    full: ['Este estudo está completo', 'Um número suficiente de pessoas já participou. Obrigado pelo seu interesse.'],
    closed: [
      'Este estudo não está aberto',
      'Não está aceitando participantes no momento. Obrigado pelo seu interesse.',
    ],
    declined: [
      'Você não atende aos critérios deste estudo',
      'Você pode fechar esta página. Obrigado pelo seu interesse.',
    ],
    elsewhere: ['Você já começou', 'Abra o estudo de novo no navegador em que começou.'],
    reopen: ['Abra o estudo de novo', 'Volte ao seu convite e abra o estudo a partir dele.'],
    done: ['Você já participou', 'Cada pessoa pode participar uma vez. Obrigado pelas suas respostas.'],
    thanks: ['Obrigado', 'Sua resposta foi registrada. Você pode fechar esta página.'],
    expired: ['Este link expirou', 'Volte ao seu convite e abra o estudo a partir dele.'],
    erased: ['Seus dados foram apagados', 'Eles foram apagados a seu pedido. Este link não pode mais ser usado.'],
    broken: ['Este link não é válido', 'Volte ao seu convite e abra o estudo a partir dele.'],
    later: ['Tente de novo', 'Não foi possível abrir o estudo agora. Espere um minuto e abra-o de novo.'],
  },
  ar: {
    checking: ['لحظة من فضلك…', 'نتحقق من متصفحك. سيُفتح الاستبيان تلقائيًا خلال ثوانٍ.'],
    unchecked: [
      'تعذّر التحقق من متصفحك',
      'فعّل JavaScript وملفات تعريف الارتباط، وأوقف مانع الإعلانات لهذه الصفحة، ثم افتح الدراسة مرة أخرى.',
    ],
    full: ['اكتمل عدد المشاركين في هذه الدراسة', 'شارك عدد كافٍ من الأشخاص بالفعل. شكرًا لاهتمامك.'],
    closed: ['هذه الدراسة غير متاحة', 'لا يمكن المشاركة في الوقت الحالي. شكرًا لاهتمامك.'],
    declined: ['أنت غير مؤهل لهذه الدراسة', 'يمكنك إغلاق هذه الصفحة. شكرًا لاهتمامك.'],
    elsewhere: ['لقد بدأت بالفعل', 'افتح الدراسة مرة أخرى في المتصفح الذي بدأت فيه.'],
    reopen: ['افتح الدراسة مرة أخرى', 'ارجع إلى الدعوة وافتح الدراسة من هناك.'],
    done: ['لقد شاركت بالفعل', 'يمكن لكل شخص المشاركة مرة واحدة. شكرًا على إجاباتك.'],
    thanks: ['شكرًا لك', 'تم حفظ مشاركتك. يمكنك إغلاق هذه الصفحة.'],
    expired: ['انتهت صلاحية هذا الرابط', 'ارجع إلى الدعوة وافتح الدراسة من هناك.'],
    erased: ['تم محو بياناتك', 'مُحيت بناءً على طلبك. لا يمكن استخدام هذا الرابط مرة أخرى.'],
    broken: ['هذا الرابط غير صالح', 'ارجع إلى الدعوة وافتح الدراسة من هناك.'],
    later: ['حاول مرة أخرى', 'لا يمكن فتح الدراسة الآن. انتظر دقيقة ثم افتحها مرة أخرى.'],
  },
  ja: {
    checking: ['少々お待ちください…', 'ブラウザーを確認しています。数秒後にアンケートが自動的に開きます。'],
    unchecked: [
      'ブラウザーを確認できませんでした',
      'JavaScriptとCookieを有効にし、このページで広告ブロッカーを無効にしてから、もう一度調査を開いてください。',
    ],
    full: [
      'この調査は定員に達しました',
      'すでに十分な人数の方にご参加いただきました。ご関心をお寄せいただきありがとうございます。',
    ],
    closed: [
      'この調査は現在受け付けていません',
      '今はご参加いただけません。ご関心をお寄せいただきありがとうございます。',
    ],
    declined: [
      'この調査の対象ではありません',
      'このページを閉じてください。ご関心をお寄せいただきありがとうございます。',
    ],
    elsewhere: ['すでに開始しています', '開始したときのブラウザーで、もう一度調査を開いてください。'],
    reopen: ['もう一度調査を開いてください', '招待に戻り、そこから調査を開いてください。'],
    done: ['すでにご参加いただいています', 'ご参加はお一人一回です。ご回答ありがとうございました。'],
    thanks: ['ありがとうございました', '回答を記録しました。このページを閉じてください。'],
    expired: ['このリンクは期限が切れています', '招待に戻り、そこから調査を開いてください。'],
    erased: ['データを消去しました', 'ご依頼により、あなたのデータを消去しました。このリンクはもう使用できません。'],
    broken: ['このリンクは無効です', '招待に戻り、そこから調査を開いてください。'],
    later: ['もう一度お試しください', '現在、調査を開けません。1分ほど待ってから、もう一度開いてください。'],
  },
};
