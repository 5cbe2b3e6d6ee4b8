// Long texts of messages: documents that are opened, views that are answered. The JSON library reads and prints them
// character by character; here they are copied in the pieces between what is escaped. What is not plainly right is
// left to the library, so that errors stay its own.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "compiler/text/json.h"

namespace tilewright::protocol {

// The message with a short text in the place of each long one, which `texts` receives. Empty: it has none.
std::string without_long_texts(std::string_view body, std::vector<std::string>& texts);
// The parsed message gets them back.
void put_back(text::MessageJson& json, std::vector<std::string>& texts);

// Where the text that begins behind the quotation mark at `at` ends: at its second one, or at the end of the message.
std::size_t end_of_text(std::string_view body, std::size_t at);

// Appends a text as JSON. False, and nothing is appended: the library may have something to say about it.
bool append_quoted(std::string& out, std::string_view text);

}  // namespace tilewright::protocol
