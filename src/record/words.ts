/**
 * Texts that records hold again and again, by their place: the first 128 take one byte, the others two. Frozen with the format: a process of
 * another version does not know a word that is added. A text that is not here is written out.
 */
export const words: readonly string[] = (
  'against for notes none weak moderate strong ' +
  // Findings.
  'network_hosting network_anonymous declared_country_mismatch clock_country_mismatch address_not_public geo_unavailable network_unavailable ' +
  'headless_user_agent webdriver automation_globals declared_bot debugging_protocol software_renderer window_impossible lies_proxy lies_worker ' +
  'lies_frame lies_own lies_privacy agent_transport_mismatch agent_caller_mismatch platform_contradiction hint_mismatch language_mismatch ' +
  'device_tokens_several pages_at_once agent_signature_invalid agent_signature_unverified agent_signature_verified device_consistent ' +
  'client_probe_missing probe_unusable probe_unreadable organization_key probe_elsewhere fixed_session_live device_farm device_shared_many ' +
  'address_burst address_busy prefix_burst source_burst shared_network_recognised household_recognised counters_unavailable input_untrusted ' +
  'click_without_press key_without_press typing_inhuman click_without_pointer press_without_pressure click_centred click_unsettled ' +
  'pointer_teleports pointer_uncoalesced pointer_metronome pointer_straight key_without_code input_without_keys wheel_contradiction ' +
  'touch_uniform questions_rushed answers_pasted pointer_humanlike touch_humanlike typing_humanlike confirmed_clawback ' +
  'respondent_record_adverse respondent_record_clean respondent_stats_adverse respondent_stats_clean respondent_stats_attempts ' +
  'respondent_stats_unused source_record_adverse source_record_clean sub_source_record_adverse sub_source_record_clean respondent_new ' +
  'respondent_id_equals_session_id supplier_stats_deprecated_alias history_unavailable unknown_fields identity_not_hashed repeat_respondent ' +
  'repeat_device similar_device device_contradiction duplicate_unmeasured ' +
  // Verdicts and what they rest on.
  'allow review block step_up human fraud verified_agent unknown possible likely confirmed uncorroborated policy dispositive ' +
  'public private residential mobile hosting anonymous education business load update similar device respondent ' +
  'loopback reserved neutral review_lean score_normally can_step_up_to_biometric can_step_up_to_captcha verified invalid unverified ' +
  'windows macos linux android ios chromeos chrome safari firefox edge opera samsung other ' +
  'windows/chrome windows/edge windows/firefox windows/opera windows/other macos/safari macos/chrome macos/firefox macos/edge macos/other ' +
  'ios/safari ios/chrome ios/firefox ios/edge ios/other android/chrome android/firefox android/samsung android/edge android/opera android/other ' +
  'linux/chrome linux/firefox linux/other chromeos/chrome'
).split(' ');
