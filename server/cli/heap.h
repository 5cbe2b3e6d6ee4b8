// The heap of a command that ends soon.
#pragma once

namespace tilewright::cli {

// Called once, before a command's work begins: lets the heap grow in large steps, onto large pages where the system has
// them. A compilation touches some megabytes for the first time, and each page of 4 KB costs as much as thousands of
// instructions. What is not touched costs nothing. Not for servers, which give memory back.
void prepare_heap();

}  // namespace tilewright::cli
